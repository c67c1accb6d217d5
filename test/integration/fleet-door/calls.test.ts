import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkpointDir } from '#services/checkpoints/model.ts';
import { answerCall, answerCalls } from '#services/fleet/calls.ts';
import { revokeCredential } from '#services/fleet/credentials.ts';
import { subjects } from '#services/fleet/model.ts';
import { inTransaction } from '#services/platform/db.ts';
import { connectControl } from '#services/platform/nats/bus.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { endEpoch, epoch1, insertGang, insertNodes, pointerOf, shard, startEpoch } from '../checkpoints/gang.ts';

let world: World;
let job: string;
beforeAll(async () => {
  world = await openWorld();
  await insertNodes(world.db, 3);
});
afterAll(() => world.close());
beforeEach(async () => { job = await insertGang(world.db, 2); });

const member = (rank: number, epoch = epoch1) => ({ job, epoch: String(epoch), rank });
const shardsCall = (rank: number, more: object = {}) => ({ op: 'shards', member: member(rank), step: 10, files: [shard(10, rank)], ...more });
const commitCall = (more: object = {}) =>
  ({ op: 'commit', member: member(0), step: 10, dir: checkpointDir(job, String(epoch1)), reach: 'shared', layout: { ranks: 2 }, dataPosition: { sample: 7 }, ...more });
const call = (node: string, value: unknown, credentialVersion = 1) =>
  answerCall(world.db, node, typeof value === 'object' && value !== null ? { credentialVersion, ...value } : value, world.config);

describe('calls of agents', () => {
  it('shards of all ranks, then the commit', async () => {
    expect(await call('node-0', shardsCall(0))).toEqual({ ok: true, step: 10 });
    expect(await call('node-0', commitCall())).toEqual({ ok: false, code: 'checkpoint_incomplete', detail: 'no shards of step 10 from rank 1' });
    expect(await call('node-1', shardsCall(1))).toEqual({ ok: true, step: 10 });
    const first = await call('node-0', commitCall());
    expect(first).toMatchObject({ ok: true, step: 10 });
    expect(await call('node-0', commitCall())).toEqual(first);
    expect(await call('node-0', commitCall({ step: 9 }))).toMatchObject({ ok: false, code: 'checkpoint_step_not_newer' });
  });

  it.each([
    ['another node\'s member', 'node-1', () => shardsCall(0)],
    ['a member of a node that does not exist', 'node-9', () => shardsCall(0)],
    ['a rank beyond the gang', 'node-0', () => shardsCall(0, { member: member(2) })],
    ['an epoch that never was', 'node-0', () => shardsCall(0, { member: member(0, epoch1 + 5n) })],
    ['a commit by rank 1', 'node-1', () => commitCall({ member: member(1) })],
    ['another epoch\'s folder', 'node-0', () => commitCall({ dir: checkpointDir(job, '1') })],
    ['a way out', 'node-0', () => shardsCall(0, { files: [{ ...shard(10, 0), path: '../../x' }] })],
    ['a negative step', 'node-0', () => shardsCall(0, { step: -1 })],
    ['an absurd size', 'node-0', () => shardsCall(0, { files: [{ ...shard(10, 0), bytes: '9'.repeat(30) }] })],
    ['a number as size', 'node-0', () => shardsCall(0, { files: [{ ...shard(10, 0), bytes: 5 }] })],
    ['a short hash', 'node-0', () => shardsCall(0, { files: [{ ...shard(10, 0), sha256: 'abc' }] })],
    ['an absurd epoch', 'node-0', () => shardsCall(0, { member: { ...member(0), epoch: '9'.repeat(30) } })],
    ['a large layout', 'node-0', () => commitCall({ layout: { x: 'y'.repeat(20_000) } })],
    ['a NUL', 'node-0', () => commitCall({ layout: { x: 'a\0b' } })],
    ['half a surrogate pair', 'node-0', () => commitCall({ dataPosition: { '\ud800': 1 } })],
    ['another operation', 'node-0', () => ({ op: 'drop', member: member(0) })],
    ['nothing', 'node-0', () => undefined],
    ['a list', 'node-0', () => []],
  ])('%s is refused and changes nothing', async (_, node, value) => {
    expect(await call(node, value())).toMatchObject({ ok: false, code: 'invalid' });
    expect(await world.db.selectFrom('checkpoint_shard').select('path').where('job_id', '=', job).execute()).toEqual([]);
    expect(await pointerOf(world.db, job)).toBeUndefined();
  });

  it('an older epoch is told that it is fenced', async () => {
    await call('node-0', shardsCall(0));
    await call('node-1', shardsCall(1));
    await endEpoch(world.db, job, epoch1);
    await startEpoch(world.db, job, epoch1 + 1n);
    expect(await call('node-0', commitCall())).toMatchObject({ ok: false, code: 'checkpoint_fenced' });
    expect(await call('node-0', shardsCall(0))).toMatchObject({ ok: false, code: 'checkpoint_fenced' });
  });

  it('the subject says who calls, whatever the body says', async () => {
    const bus = await connectControl(world.config, world.log, 'test');
    const calls = answerCalls(bus, world.db, world.config, world.log);
    try {
      await bus.flush();
      expect(await bus.request(subjects.call('node-0'), { credentialVersion: 1, ...shardsCall(0) }, 5_000)).toEqual({ ok: true, step: 10 });
      expect(await bus.request(subjects.call('node-1'), { credentialVersion: 1, ...shardsCall(0) }, 5_000)).toMatchObject({ ok: false, code: 'invalid' });
    } finally {
      await calls.close();
      await bus.close();
    }
  });

  it('a credential that was replaced, one that is not there yet, and a call without one are not heard', async () => {
    expect(await call('node-0', shardsCall(0), 2)).toMatchObject({ ok: false, code: 'invalid' });
    expect(await answerCall(world.db, 'node-0', shardsCall(0), world.config)).toMatchObject({ ok: false, code: 'invalid' });
    await world.db.updateTable('node_credential').set({ version: 2 }).where('node_id', '=', 'node-0').execute();
    expect(await call('node-0', shardsCall(0), 1)).toMatchObject({ ok: false, code: 'invalid' });
    expect(await call('node-0', shardsCall(0), 2)).toEqual({ ok: true, step: 10 });
    await world.db.updateTable('node_credential').set({ version: 1, next_sha256: Buffer.alloc(32) }).where('node_id', '=', 'node-0').execute();
    expect(await call('node-0', shardsCall(0), 2)).toEqual({ ok: true, step: 10 });
    await world.db.updateTable('node_credential').set({ next_sha256: null }).where('node_id', '=', 'node-0').execute();
  });

  it('a revoked node is not heard', async () => {
    await inTransaction(world.db, (tx) => revokeCredential(tx, 'node-1'));
    expect(await call('node-1', shardsCall(1))).toMatchObject({ ok: false, code: 'invalid' });
  });
});
