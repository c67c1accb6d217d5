/** P12–P16: nodes that fall silent, jobs on them, and an ingest that was away itself. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { noteIngestUp } from '#services/fleet/silence.ts';
import { fenceJob } from '#services/jobs/fence.ts';
import { inTransaction } from '#services/platform/db.ts';
import { accepted, exited, Fleet, ms, ready, refused, type Speaker } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open(); });
afterAll(() => fleet.close());
// Nodes of an earlier test would fall silent with those of the next.
afterEach(async () => { await fleet.world.db.updateTable('node').set({ lease_until: null }).execute(); });

const state = async (job: string): Promise<string> => (await fleet.row(job)).state;
const nodeState = async (node: Speaker): Promise<string> => (await fleet.nodeRow(node)).state;

/** All nodes have just spoken; then `silent` say nothing more for just over a lease, and the others beat on. */
async function fallSilent(silent: readonly Speaker[], heard: readonly (readonly [Speaker, Parameters<Speaker['beat']>[0]])[] = []): Promise<void> {
  expect(silent.length).toBeGreaterThan(0);
  await fleet.pass(ms.lease + 1_000);
  for (const [node, members] of heard) await node.beat(members);
  await fleet.sweepSilence();
}

it('P12 a job is LOST by a sweep that finds it on an UNKNOWN node, whoever saw the node fall silent', async () => {
  const node = await fleet.node();
  const { job } = await fleet.running([node]);
  await fleet.world.db.updateTable('node').set({ state: 'UNKNOWN' }).where('id', '=', node.id).execute(); // and the process that saw it died
  await fleet.sweepSilence();
  expect(await state(job)).toBe('LOST');
});

it('P12 a job that is placed on a node while it falls silent is LOST too', async () => {
  const node = await fleet.node();
  const job = await fleet.job();
  await fleet.place(job, [node]);
  await fallSilent([node]);
  expect(await state(job)).toBe('LOST');
});

it('P13 only members that are not gone make a job LOST', async () => {
  const [done, working] = [await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([done, working]);
  await done.beat([exited(keys[0]!, 0)]);
  await fallSilent([done], [[working, [ready(keys[1]!)]]]);
  expect([await nodeState(done), await state(job)]).toEqual(['UNKNOWN', 'RUNNING']);
});

it('P14 heard again means all nodes of members that have not exited', async () => {
  const [first, second, done] = [await fleet.node(), await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([first, second, done]);
  await done.beat([exited(keys[2]!, 0)]);
  await fallSilent([first, second, done]);
  await first.beat([ready(keys[0]!)]);
  expect(await state(job)).toBe('LOST');
  await second.beat([ready(keys[1]!)]);
  expect([await state(job), await nodeState(done)]).toEqual(['RUNNING', 'UNKNOWN']);
});

describe('P15 after LOST the state follows from the counters', () => {
  it.each([
    ['RESERVED', false, false], ['STARTING', true, false], ['RUNNING', true, true],
  ] as const)('%s', async (expected, isAccepted, isReady) => {
    const [first, second] = [await fleet.node(), await fleet.node()];
    const job = await fleet.job({ members: 2 });
    const keys = await fleet.place(job, [first, second]);
    await first.beat();
    await first.beat([ready(keys[0]!)]);
    await second.beat();
    await fallSilent([second], [[first, [ready(keys[0]!)]]]);
    expect(await state(job)).toBe('LOST');
    // What was missing comes with the very beat that is heard again.
    await second.beat(isReady ? [ready(keys[1]!)] : isAccepted ? [accepted(keys[1]!)] : []);
    expect(await state(job)).toBe(expected);
  });

  it('a refusal and an exit that come with that beat are decided from where the job stands', async () => {
    const node = await fleet.node();
    const job = await fleet.job();
    const [key] = await fleet.place(job, [node]);
    await node.beat();
    await fallSilent([node]);
    await node.beat([refused(key!)]);
    expect(await fleet.supervise(job)).toEqual(['vacate refused', 'end', 'done']);
  });
});

describe('P16 the fence', () => {
  it('is due when the lease and the drift are over, not before, and counts from the lease, not from the entry into LOST', async () => {
    const node = await fleet.node();
    const { job } = await fleet.running([node]);
    await fleet.pass(ms.lease + ms.drift - 3_000);
    await fleet.sweepSilence();
    expect(await fleet.supervise(job)).toEqual(['wait']);
    await fleet.pass(4_000);
    expect((await fleet.view(job)).fenceDue).toBe(true);
  });

  it('fences the epoch and orders a short stop; a decision made on an older view is refused', async () => {
    const [silent, heard] = [await fleet.node(), await fleet.node()];
    const { job, keys } = await fleet.running([silent, heard]);
    await fallSilent([silent], [[heard, [ready(keys[1]!)]]]);
    const early = await fleet.decided(job);
    expect(await inTransaction(fleet.world.db, (tx) => fenceJob(tx, early, fleet.world.config))).toMatchObject({ kind: 'superseded' });
    await fleet.pass(ms.drift);
    expect(await fleet.supervise(job)).toEqual(['fence', 'wait']);
    expect(await fleet.attempt(job)).toMatchObject({ fenced: true });
    expect((await heard.beat([ready(keys[1]!)])).stop).toMatchObject([{ reason: 'lost', graceMs: ms.lostGrace }]);
    expect(await inTransaction(fleet.world.db, (tx) => fenceJob(tx, early, fleet.world.config))).toEqual({ kind: 'already' });
  });
});

describe('P16 a gap of the ingest', () => {
  it('nothing becomes UNKNOWN, LOST, timed out or fenced during it', async () => {
    const [node, leaving, starting, waiting] = [await fleet.node(), await fleet.node(), await fleet.node(), await fleet.node()];
    const { job } = await fleet.running([node]);
    const vacated = await fleet.running([leaving]);
    await fleet.vacate(vacated.job, 'drained', 'drain');
    const slow = await fleet.job();
    await fleet.place(slow, [starting]);
    await starting.beat();
    const lost = await fleet.running([waiting]);
    await fleet.pass(1_000);
    await fleet.world.db.updateTable('node').set({ state: 'UNKNOWN' }).where('id', '=', waiting.id).execute();
    await fleet.sweepSilence();
    expect(await state(lost.job)).toBe('LOST');

    await fleet.passWithoutIngest(1_000_000);
    await fleet.sweepSilence();
    expect(await nodeState(node)).toBe('LIVE');
    for (const each of [job, vacated.job, slow, lost.job]) expect(await fleet.supervise(each)).toEqual(['wait']);
    expect(await Promise.all([job, vacated.job, slow, lost.job].map(state))).toEqual(['RUNNING', 'VACATING', 'RESERVED', 'LOST']);
    expect(await fleet.allocations(vacated.job)).toEqual([`${leaving.id} held job`]);
  });

  it('after it every node gets a full lease, then the drift; what is due counts anew', async () => {
    const [node, starting, leaving] = [await fleet.node(), await fleet.node(), await fleet.node()];
    const { job } = await fleet.running([node]);
    const slow = await fleet.job();
    await fleet.place(slow, [starting]);
    const vacated = await fleet.running([leaving]);
    await fleet.vacate(vacated.job, 'drained', 'drain');
    await fleet.passWithoutIngest(1_000_000);
    await noteIngestUp(fleet.world.db, fleet.world.config);
    await fleet.sweepSilence();
    expect(await nodeState(node)).toBe('LIVE');
    expect(await fleet.supervise(slow)).toEqual(['wait']);
    expect(await fleet.supervise(vacated.job)).toEqual(['wait']);
    await fleet.pass(ms.lease - 2_000);
    await fleet.sweepSilence();
    expect(await nodeState(node)).toBe('LIVE');
    await fleet.pass(4_000);
    await fleet.sweepSilence();
    expect([await nodeState(node), await state(job)]).toEqual(['UNKNOWN', 'LOST']);
    expect(await fleet.supervise(job)).toEqual(['wait']);
    await fleet.pass(ms.drift);
    expect(await fleet.supervise(job)).toEqual(['fence', 'wait']);
  });

  it('an ingest that beats without a gap doesn’t start the count anew', async () => {
    const node = await fleet.node();
    await fleet.pass(ms.lease / 4);
    await noteIngestUp(fleet.world.db, fleet.world.config);
    await fleet.passWithoutIngest(ms.lease / 4);
    await noteIngestUp(fleet.world.db, fleet.world.config);
    await fleet.pass(ms.lease / 2 + 1_000);
    await fleet.sweepSilence();
    expect(await nodeState(node)).toBe('UNKNOWN');
  });
});
