import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '#services/platform/db.ts';
import { markCheckpointBad } from '#services/checkpoints/mark-bad.ts';
import { resumePoint } from '#services/checkpoints/resume.ts';
import type { JobState, VacateReason } from '#services/jobs/model.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { commitAt, endEpoch, epoch1, epoch2, fence, insertGang, insertNodes, pointerOf, publish, reportAs, setState, shard, startEpoch, traces } from './gang.ts';

let world: World;
let job: string;
const members = 2;
beforeAll(async () => {
  world = await openWorld({ MUSTER_CHECKPOINT_SHARD_SETS_KEPT: '3', MUSTER_CHECKPOINT_MANIFESTS_KEPT: '5', MUSTER_UNCOMMITTED_CHECKPOINT_STEPS_MAX: '4' });
  await insertNodes(world.db, 4);
});
afterAll(() => world.close());
beforeEach(async () => { job = await insertGang(world.db, members); });

const at = (step: number, epoch = epoch1) => ({ job, epoch, step });
const report = (step: number, rank: number, files?: ReturnType<typeof shard>[], epoch = epoch1) => reportAs(world.db, world.config, at(step, epoch), rank, files);
const commit = (step: number, epoch = epoch1) => commitAt(world.db, world.config, at(step, epoch));
const published = (step: number, epoch = epoch1) => publish(world.db, world.config, at(step, epoch), members);
const markBad = (checkpointId: string, node = 'node-0') =>
  inTransaction(world.db, (tx) => markCheckpointBad(tx, { jobId: job, checkpointId, node, reason: 'step-40/rank-0.bin has another SHA-256' }));

describe('a commit', () => {
  it('waits for the shards of every rank and names those that are missing', async () => {
    await report(10, 1);
    expect(await commit(10)).toEqual({ kind: 'incomplete', missingRanks: [0] });
    await report(10, 0);
    expect(await commit(10)).toMatchObject({ kind: 'committed', step: 10n });
  });

  it('moves the pointer, says so once, and leaves the job\'s version', async () => {
    const before = await world.db.selectFrom('job').select('version').where('id', '=', job).executeTakeFirst();
    const id = await published(10);
    expect(await pointerOf(world.db, job)).toEqual({ checkpoint_id: id, epoch: epoch1, step: 10n });
    expect(await world.db.selectFrom('job').select('version').where('id', '=', job).executeTakeFirst()).toEqual(before);
    const events = await world.db.selectFrom('outbox').select(['kind', 'version', 'payload']).where('key', '=', `checkpoint/${id}`).execute();
    expect(events).toEqual([{ kind: 'checkpoint.committed', version: 1n, payload: expect.objectContaining({ job, step: '10', epoch: String(epoch1) }) }]);
  });

  it('told twice is one commit, also when its epoch is over by then', async () => {
    const id = await published(10);
    const before = await traces(world.db, job);
    expect(await commit(10)).toEqual({ kind: 'already', checkpoint: id, step: 10n });
    expect(await traces(world.db, job)).toEqual(before);
    await endEpoch(world.db, job, epoch1);
    expect(await commit(10)).toEqual({ kind: 'already', checkpoint: id, step: 10n });
  });

  it('of a step that is not newer is refused', async () => {
    await published(10);
    for (const rank of [0, 1]) await report(5, rank);
    expect(await commit(5)).toEqual({ kind: 'notNewer', currentStep: 10n });
  });

  it('two at once: one is made, both are answered with it', async () => {
    for (const rank of [0, 1]) await report(10, rank);
    const verdicts = await Promise.all([commit(10), commit(10), commit(10)]);
    expect(verdicts.map((verdict) => verdict.kind).sort()).toEqual(['already', 'already', 'committed']);
    expect(new Set(verdicts.map((verdict) => 'checkpoint' in verdict && verdict.checkpoint)).size).toBe(1);
  });

  it('two steps at once: the pointer ends at the higher one', async () => {
    for (const step of [10, 20]) for (const rank of [0, 1]) await report(step, rank);
    const [lower, higher] = await Promise.all([commit(10), commit(20)]);
    expect(higher.kind).toBe('committed');
    expect(['committed', 'notNewer']).toContain(lower.kind);
    expect((await pointerOf(world.db, job))?.step).toBe(20n);
  });
});

describe('P18 the right to publish', () => {
  it.each<[JobState, VacateReason | null, 'committed' | 'fenced']>([
    ['RESERVED', null, 'committed'], ['STARTING', null, 'committed'], ['RUNNING', null, 'committed'], ['LOST', null, 'committed'],
    ['VACATING', 'preempt', 'committed'], ['VACATING', 'drain', 'committed'], ['VACATING', 'memberFailed', 'committed'], ['CANCELLING', null, 'committed'],
    ['VACATING', 'lost', 'fenced'], ['QUEUED', null, 'fenced'], ['SUCCEEDED', null, 'fenced'], ['FAILED', null, 'fenced'], ['CANCELLED', null, 'fenced'],
  ])('%s %s: %s', async (state, reason, outcome) => {
    for (const rank of [0, 1]) await report(10, rank);
    await setState(world.db, job, state, reason);
    expect((await commit(10)).kind).toBe(outcome);
  });

  it('a fenced epoch publishes nothing, nor do its reports count', async () => {
    for (const rank of [0, 1]) await report(10, rank);
    await fence(world.db, job, epoch1);
    expect((await commit(10)).kind).toBe('fenced');
    expect((await report(20, 0)).kind).toBe('fenced');
    expect(await pointerOf(world.db, job)).toBeUndefined();
  });

  it('an older epoch publishes nothing', async () => {
    for (const rank of [0, 1]) await report(10, rank);
    await endEpoch(world.db, job, epoch1);
    await startEpoch(world.db, job, epoch2);
    expect((await commit(10)).kind).toBe('fenced');
    expect((await report(10, 0)).kind).toBe('fenced');
    expect((await commit(10, epoch2)).kind).toBe('incomplete');
  });

  it('an older epoch publishes nothing, even one that nobody fenced', async () => {
    for (const rank of [0, 1]) await report(10, rank);
    await startEpoch(world.db, job, epoch2);
    expect((await commit(10)).kind).toBe('fenced');
    expect((await report(20, 0)).kind).toBe('fenced');
  });

  it('an epoch that never was publishes nothing', async () => {
    expect((await commit(10, epoch2)).kind).toBe('fenced');
  });

  it('a commit that waits behind the fence sees it', async () => {
    for (const rank of [0, 1]) await report(10, rank);
    let waiting: Promise<{ kind: string }> | undefined;
    await inTransaction(world.db, async (tx) => {
      await tx.selectFrom('job').select('id').where('id', '=', job).forUpdate().execute();
      waiting = commit(10);
      await tx.updateTable('attempt').set({ fenced: true }).where('job_id', '=', job).execute();
    });
    expect((await waiting)?.kind).toBe('fenced');
  });
});

describe('a report', () => {
  it('told twice is one, in parts is one', async () => {
    const files = [shard(10, 0), { ...shard(10, 0), path: 'step-10/rank-0.more' }];
    expect(await report(10, 0, files.slice(0, 1))).toEqual({ kind: 'reported' });
    expect(await report(10, 0, files)).toEqual({ kind: 'reported' });
    expect(await report(10, 0, files)).toEqual({ kind: 'already' });
  });

  it.each([
    ['other content', () => [shard(10, 0, 'altered')]],
    ['another length', () => [{ ...shard(10, 0), bytes: '1' }]],
    ['a file of another rank', () => [shard(10, 1)]],
    ['a path twice', () => [{ ...shard(10, 0), path: 'x' }, { ...shard(10, 0), path: 'x' }]],
    ['a way out of its folder', () => [{ ...shard(10, 0), path: '../other/x' }]],
    ['an absolute path', () => [{ ...shard(10, 0), path: '/etc/passwd' }]],
    ['a hidden file', () => [{ ...shard(10, 0), path: 'a/.b' }]],
    ['a control character', () => [{ ...shard(10, 0), path: 'a\u001b[2J' }]],
    ['no files', () => []],
  ])('refuses %s', async (_, files) => {
    await report(10, 0);
    await report(10, 1);
    expect((await report(10, 0, files())).kind).toBe('refused');
  });

  it('refuses a file of an earlier step, and anything new for a committed one', async () => {
    await published(10);
    expect((await report(20, 0, [shard(10, 0)])).kind).toBe('refused');
    expect((await report(10, 0, [{ ...shard(10, 0), path: 'late' }])).kind).toBe('refused');
  });

  it('is bounded in steps that are never committed', async () => {
    for (const step of [1, 2, 3, 4]) expect((await report(step, 0)).kind).toBe('reported');
    expect((await report(5, 0)).kind).toBe('refused');
  });
});

describe('a bad checkpoint', () => {
  it('goes one commit back, is reported, and the job trains on from there', async () => {
    const [first, second] = [await published(10), await published(20)];
    expect(await markBad(second)).toEqual({ kind: 'marked', pointer: { checkpointId: first, epoch: epoch1, step: 10n } });
    expect(await pointerOf(world.db, job)).toEqual({ checkpoint_id: first, epoch: epoch1, step: 10n });
    const { detail } = await world.db.selectFrom('job').select('detail').where('id', '=', job).executeTakeFirstOrThrow();
    expect(detail).toBe('checkpoint of step 20 is not readable on node-0 (step-40/rank-0.bin has another SHA-256); a restart gets step 10');
    await endEpoch(world.db, job, epoch1);
    await startEpoch(world.db, job, epoch2);
    const third = await published(15, epoch2);
    expect(await pointerOf(world.db, job)).toEqual({ checkpoint_id: third, epoch: epoch2, step: 15n });
    expect(await markBad(third)).toMatchObject({ kind: 'marked', pointer: { checkpointId: first } });
  });

  it('with none left the pointer stays, naming nothing: the job must not start at step 0', async () => {
    const id = await published(10);
    expect(await markBad(id)).toEqual({ kind: 'marked', pointer: { checkpointId: null, epoch: epoch1, step: 10n } });
    expect(await pointerOf(world.db, job)).toEqual({ checkpoint_id: null, epoch: epoch1, step: 10n });
  });

  it('told by every rank is told once', async () => {
    const id = await published(10);
    await markBad(id);
    const before = await traces(world.db, job);
    expect(await markBad(id, 'node-1')).toEqual({ kind: 'already' });
    expect(await traces(world.db, job)).toEqual(before);
  });

  it('an older one leaves the pointer where it is', async () => {
    const [first, second] = [await published(10), await published(20)];
    expect(await markBad(first)).toMatchObject({ kind: 'marked', pointer: { checkpointId: second } });
  });

  it('a node that can\'t reach the files says nothing about them', async () => {
    const id = await published(10);
    await world.db.updateTable('checkpoint').set({ reach: 'node' }).where('id', '=', id).execute();
    expect(await markBad(id, 'node-3')).toMatchObject({ kind: 'elsewhere' });
    expect((await pointerOf(world.db, job))?.checkpoint_id).toBe(id);
    expect((await markBad(id, 'node-1')).kind).toBe('marked');
  });

  it('is never one of another job', async () => {
    const id = await published(10);
    job = await insertGang(world.db, members);
    expect(await markBad(id)).toEqual({ kind: 'unknown' });
  });
});

describe('what a restart gets', () => {
  const resume = (id: string | null, rank: number, of: number) => inTransaction(world.db, (tx) => resumePoint(tx, job, rank, of, id));

  it('every shard is verified by one rank, whatever the new gang\'s size', async () => {
    const id = await published(10);
    for (const of of [1, 2, 3]) {
      const points = await Promise.all(Array.from({ length: of }, (_, rank) => resume(id, rank, of)));
      expect(points.flatMap((point) => point?.shards.map((file) => file.path)).sort()).toEqual(['step-10/rank-0.bin', 'step-10/rank-1.bin']);
    }
    expect(await resume(id, 1, 2)).toEqual({ checkpoint: id, step: 10, dir: `${job}/${epoch1}`, reach: 'shared', shards: [shard(10, 1)] });
  });

  it('without a checkpoint nothing', async () => {
    expect(await resume(null, 0, 2)).toBeNull();
  });

  it('rows are bounded: shards of the newest, manifests of more', async () => {
    for (let step = 1; step <= 8; step++) await published(step);
    const steps = await world.db.selectFrom('checkpoint_shard').select('step').distinct().where('job_id', '=', job).orderBy('step').execute();
    expect(steps.map((row) => row.step)).toEqual([6n, 7n, 8n]);
    const manifests = await world.db.selectFrom('checkpoint').select('step').where('job_id', '=', job).orderBy('step').execute();
    expect(manifests.map((row) => row.step)).toEqual([4n, 5n, 6n, 7n, 8n]);
  });
});
