/** How epochs end: counters, deadlines, fences, budgets, and what comes late (P9, P17–P20, P29, P30, P32). */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { refusalToPublish } from '#services/checkpoints/right.ts';
import { lockEpoch } from '#services/checkpoints/store.ts';
import { sweepFenceCordons, sweepQueueDeadlines } from '#services/jobs/sweeps.ts';
import { inTransaction } from '#services/platform/db.ts';
import { cancelAny } from '#test/setup/cancel.ts';
import { accepted, exited, Fleet, gone, graceSeconds, ms, ready, refused, type Speaker } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open(); });
afterAll(() => fleet.close());
afterEach(async () => { await fleet.world.db.updateTable('node').set({ lease_until: null }).execute(); });

const graceMs = graceSeconds * 1_000;
const db = () => fleet.world.db;
const publishes = async (job: string, epoch: string): Promise<string | undefined> =>
  inTransaction(db(), async (tx) => refusalToPublish(await lockEpoch(tx, job, BigInt(epoch), 'update'), BigInt(epoch)));
const cancel = (job: string) => cancelAny(db(), job, fleet.world.config);

/** The other nodes beat on while these say nothing for `lengthMs`. */
async function passHeard(lengthMs: number, heard: readonly (readonly [Speaker, Parameters<Speaker['beat']>[0]])[]): Promise<void> {
  await fleet.pass(lengthMs);
  for (const [node, members] of heard) await node.beat(members);
  await fleet.sweepSilence();
}

describe('the last member that is ready', () => {
  it('two at once: one STARTING and one RUNNING are told', async () => {
    for (let n = 0; n < 10; n++) {
      const nodes = [await fleet.node(), await fleet.node()];
      const job = await fleet.job({ members: 2 });
      const keys = await fleet.place(job, nodes);
      await nodes[0]!.beat();
      await nodes[0]!.beat([accepted(keys[0]!)]);
      await nodes[1]!.beat();
      await Promise.all(nodes.map((node, rank) => node.beat([ready(keys[rank]!)])));
      expect(await fleet.told(job)).toEqual(['RESERVED', 'STARTING', 'RUNNING']);
      expect(await fleet.attempt(job)).toMatchObject({ accepted: 2, ready: 2 });
    }
  });

  it('P32 many beats of one gang at once count each member once', async () => {
    const nodes = await Promise.all(Array.from({ length: 6 }, () => fleet.node()));
    const { job, keys } = await fleet.running(nodes);
    await Promise.all(nodes.map((node, rank) => node.beat([exited(keys[rank]!, 0)])));
    expect(await fleet.attempt(job)).toMatchObject({ accepted: 6, ready: 6, gone: 6, succeeded: 6, user_failed: 0 });
    expect(await fleet.told(job)).toEqual(['RESERVED', 'STARTING', 'RUNNING', '!']);
    expect(await fleet.supervise(job)).toEqual(['succeed', 'done']);
    expect(await fleet.allocations(job)).toEqual([]);
  });
});

it('a gang whose members all fail is told once, not once a member', async () => {
  const nodes = await Promise.all(Array.from({ length: 4 }, () => fleet.node()));
  const { job, keys } = await fleet.running(nodes);
  for (const [rank, node] of nodes.entries()) await node.beat([exited(keys[rank]!, 1)]);
  expect(await fleet.told(job)).toEqual(['RESERVED', 'STARTING', 'RUNNING', '!']);
  expect(await fleet.attempt(job)).toMatchObject({ gone: 4, user_failed: 4 });
  await cancel(job);
  await fleet.supervise(job);
});

it('P9 an exit of 0 that is the first news of a member implies accepted and ready', async () => {
  const [first, second] = [await fleet.node(), await fleet.node()];
  const job = await fleet.job({ members: 2 });
  const keys = await fleet.place(job, [first, second]);
  await first.beat();
  await first.beat([ready(keys[0]!)]);
  await second.beat();
  await second.beat([exited(keys[1]!, 0)]);
  expect(await fleet.told(job)).toEqual(['RESERVED', 'STARTING', 'RUNNING']);
  await first.beat([exited(keys[0]!, 0)]);
  expect(await fleet.supervise(job)).toEqual(['succeed', 'done']);
});

it('P17 a lost epoch never ends SUCCEEDED, though each member exited 0 and a time limit came on top', async () => {
  const [silent, heard] = [await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([silent, heard], { timeLimitSeconds: 60 });
  await passHeard(ms.lease + ms.drift + 1_000, [[heard, [ready(keys[1]!)]]]);
  await fleet.vacate(job, 'fencePassed', 'lost');
  expect(await fleet.vacate(job, 'timeLimitReached', 'timeLimit')).toMatchObject({ kind: 'superseded' });
  await heard.beat([exited(keys[1]!, 0)]);
  await silent.beat([exited(keys[0]!, 0)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED', vacate_reason: 'lost' });
  expect(await fleet.attempt(job)).toMatchObject({ succeeded: 2, fenced: true });
});

it('P29 a time limit that is used up meets the next epoch at its first reading, before it runs', async () => {
  const node = await fleet.node();
  const job = await fleet.job({ timeLimitSeconds: 60 });
  await db().updateTable('job').set({ run_ms: 60_000n }).where('id', '=', job).execute();
  await fleet.place(job, [node]);
  expect(await fleet.supervise(job)).toEqual(['vacate timeLimit', 'wait']);
});

it('the time limit counts what all attempts ran together', async () => {
  const node = await fleet.node();
  const { job, keys } = await fleet.running([node], { timeLimitSeconds: 100, retry: { userFailures: 3, backoffSeconds: 0 } });
  await fleet.pass(40_000);
  await node.beat([exited(keys[0]!, 1)]);
  expect(await fleet.supervise(job)).toEqual(['vacate memberFailed', 'end', 'done']);
  const { run_ms } = await fleet.row(job);
  expect(Number(run_ms)).toBeGreaterThanOrEqual(40_000);
  expect(Number(run_ms)).toBeLessThan(50_000);
  const again = await fleet.place(job, [node]);
  await fleet.start([node], again);
  await fleet.pass(45_000);
  await node.beat([ready(again[0]!)]);
  expect(await fleet.supervise(job)).toEqual(['wait']);
  await fleet.pass(20_000);
  expect(await fleet.supervise(job)).toEqual(['vacate timeLimit', 'wait']);
  await node.beat([exited(again[0]!, null)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.row(job)).toMatchObject({ state: 'FAILED', user_failures: 1, infrastructure_failures: 0 });
});

describe('P18 an epoch that has ended publishes nothing', () => {
  it.each([
    ['succeeded', async (node: Speaker, job: string, key: { job: string; epoch: string; rank: number }) => { await node.beat([exited(key, 0)]); await fleet.supervise(job); }],
    ['failed', async (node: Speaker, job: string, key: { job: string; epoch: string; rank: number }) => { await node.beat([exited(key, 1)]); await fleet.supervise(job); }],
    ['cancelled', async (node: Speaker, job: string, key: { job: string; epoch: string; rank: number }) => { await cancel(job); await node.beat([exited(key, null)]); await fleet.supervise(job); }],
  ] as const)('%s', async (_how, end) => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    expect(await publishes(job, keys[0]!.epoch)).toBeUndefined();
    await end(node, job, keys[0]!);
    expect(await publishes(job, keys[0]!.epoch)).toContain('fenced');
    expect(await fleet.attempt(job)).toMatchObject({ fenced: true });
  });

  it('a save on the way out is kept, but not out of a lost epoch', async () => {
    const nodes = [await fleet.node(), await fleet.node()];
    const [drained, lost] = [await fleet.running([nodes[0]!]), await fleet.running([nodes[1]!])];
    await fleet.vacate(drained.job, 'drained', 'drain');
    expect(await publishes(drained.job, drained.keys[0]!.epoch)).toBeUndefined();
    await nodes[1]!.reboot();
    await nodes[1]!.beat();
    expect(await publishes(lost.job, lost.keys[0]!.epoch)).toContain('fenced');
  });
});

describe('P19 a process that is reachable and can not be killed', () => {
  it('is fenced past the stuck grace, its node takes no work, and the last proof lifts that', async () => {
    const node = await fleet.node(2);
    const { job, keys } = await fleet.running([node]);
    await fleet.vacate(job, 'drained', 'drain');
    await passHeard(graceMs + 1_000, [[node, [ready(keys[0]!)]]]);
    expect(await fleet.supervise(job)).toEqual(['wait']);
    await passHeard(ms.stuck, [[node, [ready(keys[0]!)]]]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED' });
    expect(await fleet.allocations(job)).toEqual([`${node.id} fenced job`]);
    expect(await fleet.nodeRow(node)).toMatchObject({ cordoned_by_fence: true, schedulable: false });
    expect(await fleet.tryPlace(job, [node])).toBe('node_changed');
    expect(await sweepFenceCordons(db())).toBe(0);

    expect((await node.beat([ready(keys[0]!)])).stop).toMatchObject([keys[0]]);
    await node.beat([exited(keys[0]!, null)]);
    expect(await fleet.allocations(job)).toEqual([]);
    expect(await fleet.nodeRow(node)).toMatchObject({ cordoned_by_fence: false, schedulable: true });
    expect(await fleet.tryPlace(job, [node])).toBe('placed');
  });

  it('of an exclusive job waits for proof', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node], { exclusive: true });
    await fleet.vacate(job, 'drained', 'drain');
    for (let n = 0; n < 4; n++) await passHeard(ms.lease - 5_000, [[node, [ready(keys[0]!)]]]);
    expect(await fleet.supervise(job)).toEqual(['wait']);
    await node.beat([exited(keys[0]!, null)]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  });
});

describe('P20 an exclusive job whose node is unreachable', () => {
  it('ends its epoch only past t_fence and the kill time, any other past its kill deadline', async () => {
    const [own, other] = [await fleet.node(), await fleet.node()];
    const [exclusive, plain] = [await fleet.running([own], { exclusive: true }), await fleet.running([other])];
    await fleet.pass(ms.lease - 1_000);
    for (const { job } of [exclusive, plain]) await fleet.vacate(job, 'drained', 'drain');
    await fleet.pass(graceMs + 1_000); // t_fence = lease + 10 s has passed, the 20 s to kill have not
    await fleet.sweepSilence();
    expect(await fleet.supervise(plain.job)).toEqual(['end', 'done']);
    expect(await fleet.supervise(exclusive.job)).toEqual(['wait']);
    await fleet.pass(ms.drift);
    expect(await fleet.supervise(exclusive.job)).toEqual(['end', 'done']);
    expect(await fleet.allocations(exclusive.job)).toEqual([`${own.id} fenced job`]);
  });

  it('is placed again only when no older epoch sits on a node that is heard', async () => {
    const [own, other] = [await fleet.node(), await fleet.node()];
    const { job, keys } = await fleet.running([own], { exclusive: true, retry: { backoffSeconds: 0 } });
    await passHeard(ms.lease + ms.drift + graceMs, [[other, []]]);
    expect(await fleet.supervise(job)).toEqual(['fence', 'wait']);
    await passHeard(graceMs, [[other, []]]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    await own.beat([ready(keys[0]!)]);
    expect(await fleet.tryPlace(job, [other])).toBe('older_epoch_not_gone');
    await own.beat([exited(keys[0]!, null)]);
    expect(await fleet.tryPlace(job, [other])).toBe('placed');
  });
});

describe('P29 conditions, not events', () => {
  it('a reason that ends in FAILED replaces one that requeues, and not the other way round', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    const before = await fleet.decided(job);
    expect(await fleet.vacate(job, 'drained', 'drain')).toEqual({ kind: 'applied' });
    expect(await fleet.vacate(job, 'drained', 'drain', before)).toEqual({ kind: 'already' });
    expect(await fleet.vacate(job, 'creditStopped', 'credit', before)).toMatchObject({ kind: 'superseded' });
    expect(await fleet.vacate(job, 'creditStopped', 'credit')).toEqual({ kind: 'applied' });
    expect(await fleet.vacate(job, 'moveOrdered', 'move')).toMatchObject({ kind: 'superseded' });
    expect(await fleet.row(job)).toMatchObject({ state: 'VACATING', vacate_reason: 'credit' });
    await node.beat([exited(keys[0]!, null)]);
    await fleet.supervise(job);
    expect(await fleet.row(job)).toMatchObject({ state: 'FAILED', user_failures: 0, infrastructure_failures: 0 });
  });

  it('the start time-out counts only while every member’s node is heard', async () => {
    const [first, second] = [await fleet.node(), await fleet.node()];
    const job = await fleet.job({ members: 2 });
    const keys = await fleet.place(job, [first, second]);
    const both = async (lengthMs: number) => { await fleet.pass(lengthMs); await first.beat(); await second.beat(); };
    for (let n = 0; n < 2; n++) await both(ms.start / 2 - 5_000);
    await passHeard(ms.lease + 1_000, [[first, []]]);
    expect(await fleet.row(job)).toMatchObject({ state: 'LOST' });
    expect(await fleet.supervise(job)).toEqual(['wait']);
    await second.beat();
    expect(await fleet.row(job)).toMatchObject({ state: 'RESERVED' });
    expect(await fleet.supervise(job)).toEqual(['wait']);
    for (let n = 0; n < 3; n++) await both(ms.start / 2 - 5_000);
    expect(await fleet.supervise(job)).toEqual(['vacate startTimeout', 'wait']);
    expect(keys).toHaveLength(2);
  });

  it('the start time-out that passed while a node was not heard is looked at again without an event', async () => {
    const node = await fleet.node();
    const job = await fleet.job();
    await fleet.place(job, [node]);
    await db().updateTable('node').set({ state: 'UNKNOWN' }).where('id', '=', node.id).execute();
    await fleet.pass(ms.start + 1_000);
    const view = await fleet.view(job);
    expect(view.startDue).toBe(false);
    expect(view.nextDeadlineMs).toBeLessThanOrEqual(ms.drift);
  });
});

describe('P30 late news of an older or ended epoch', () => {
  it('“gone” frees its fenced row and lifts the cordon, and changes no state', async () => {
    const [silent, other] = [await fleet.node(), await fleet.node()];
    const { job, keys } = await fleet.running([silent], { retry: { backoffSeconds: 0 } });
    await passHeard(ms.lease + ms.drift + 1_000, [[other, []]]);
    expect(await fleet.supervise(job)).toEqual(['fence', 'wait']);
    await passHeard(ms.lostGrace + 1_000, [[other, []]]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    const again = await fleet.place(job, [other]);
    await fleet.start([other], again);
    expect(await fleet.allocations(job)).toEqual([`${silent.id} fenced job`, `${other.id} held job`]);
    const before = await fleet.row(job);

    expect((await silent.beat([ready(keys[0]!)])).stop).toMatchObject([keys[0]]);
    await silent.beat([gone(keys[0]!)]);
    expect(await fleet.row(job)).toEqual(before);
    expect(await fleet.allocations(job)).toEqual([`${other.id} held job`]);
    expect(await fleet.nodeRow(silent)).toMatchObject({ schedulable: true });
  });

  it('an exit after the end is recorded, counts against no budget and moves nothing', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    await cancel(job);
    for (const lengthMs of [graceMs + 1_000, ms.stuck + 1_000]) await passHeard(lengthMs, [[node, [ready(keys[0]!)]]]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    const before = await fleet.row(job);
    expect(before).toMatchObject({ state: 'CANCELLED' });
    expect((await node.beat([exited(keys[0]!, 1)])).ack).toEqual([keys[0]]);
    expect(await fleet.row(job)).toEqual(before);
    expect(await fleet.attempt(job)).toMatchObject({ gone: 1, user_failed: 0 });
    expect(await fleet.allocations(job)).toEqual([]);
  });
});

describe('budgets', () => {
  const twice = async (node: Speaker, job: string, keys: Awaited<ReturnType<Fleet['place']>>, news: typeof gone): Promise<unknown> => {
    await node.beat([news(keys[0]!)]);
    await fleet.supervise(job);
    return fleet.row(job);
  };

  it('an exit pays from the user’s, a vanished process and a refusal from the infrastructure’s', async () => {
    const node = await fleet.node();
    const spec = { retry: { userFailures: 1, infrastructureFailures: 2, backoffSeconds: 0 } };
    const { job, keys } = await fleet.running([node], spec);
    expect(await twice(node, job, keys, (key) => exited(key, 3))).toMatchObject({ state: 'QUEUED', user_failures: 1, infrastructure_failures: 0, avoid_nodes: [] });
    const second = await fleet.place(job, [node]);
    await fleet.start([node], second);
    expect(await twice(node, job, second, gone)).toMatchObject({ state: 'QUEUED', user_failures: 1, infrastructure_failures: 1, avoid_nodes: [node.id] });
    const third = await fleet.place(job, [node]);
    await node.beat();
    expect(await twice(node, job, third, refused)).toMatchObject({ state: 'QUEUED', infrastructure_failures: 2 });
    const fourth = await fleet.place(job, [node]);
    await fleet.start([node], fourth);
    expect(await twice(node, job, fourth, (key) => exited(key, 3))).toMatchObject({ state: 'FAILED', user_failures: 2, infrastructure_failures: 2 });
  });

  it('an exit after the stop was ordered counts against nobody', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node], { retry: { userFailures: 0, infrastructureFailures: 0 } });
    await fleet.vacate(job, 'drained', 'drain');
    await node.beat([exited(keys[0]!, 143)]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED', user_failures: 0, infrastructure_failures: 0, not_before: null });
  });

  it('three nodes are avoided, the newest first; a start that timed out avoids the node that never took it', async () => {
    const nodes = [await fleet.node(), await fleet.node()];
    const job = await fleet.job({ members: 2, retry: { backoffSeconds: 0 } });
    await db().updateTable('job').set({ avoid_nodes: ['a', 'b', 'c'] }).where('id', '=', job).execute();
    const keys = await fleet.place(job, nodes);
    await nodes[0]!.beat();
    await nodes[0]!.beat([ready(keys[0]!)]);
    await nodes[1]!.beat();
    for (let n = 0; n < 3; n++) {
      await fleet.pass(ms.start / 2);
      await nodes[0]!.beat([ready(keys[0]!)]);
      await nodes[1]!.beat();
    }
    expect(await fleet.supervise(job)).toEqual(['vacate startTimeout', 'wait']);
    await nodes[0]!.beat([exited(keys[0]!, null)]);
    await nodes[1]!.beat([gone(keys[1]!)]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    expect((await fleet.row(job)).avoid_nodes).toEqual([nodes[1]!.id, 'a', 'b']);
  });
});

describe('what the row says of the epoch before', () => {
  it('is no part of the next: a cancel after a loss has the full grace again', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node], { retry: { backoffSeconds: 0 } });
    await node.reboot();
    await node.beat([gone(keys[0]!)]);
    expect(await fleet.supervise(job)).toEqual(['end', 'done']);
    expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED', vacate_reason: 'lost' });
    const again = await fleet.place(job, [node]);
    await fleet.start([node], again);
    expect(await fleet.row(job)).toMatchObject({ vacate_reason: null, vacate_deadline_at: null });
    await cancel(job);
    expect((await node.beat([ready(again[0]!)])).stop).toMatchObject([{ reason: 'cancel', graceMs }]);
  });
});

it('a job whose last checkpoint was found unreadable stops, though it was leaving for another reason', async () => {
  const node = await fleet.node();
  const { job, keys } = await fleet.running([node]);
  await fleet.vacate(job, 'drained', 'drain');
  await db().insertInto('checkpoint_pointer').values({ job_id: job, checkpoint_id: null, epoch: 1n, step: 1n }).execute();
  await node.beat([exited(keys[0]!, null)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.row(job)).toMatchObject({ state: 'FAILED' });
});

it('the queue deadline ends a job that has not run, and not one that waits for its restart', async () => {
  const node = await fleet.node();
  const { job, keys } = await fleet.running([node], { retry: { userFailures: 1 } });
  await node.beat([exited(keys[0]!, 1)]);
  await fleet.supervise(job);
  const fresh = await fleet.job();
  await db().updateTable('job').set({ queue_deadline_at: sql<Date>`clock_timestamp()` }).where('id', 'in', [job, fresh]).execute();
  expect(await sweepQueueDeadlines(db())).toBe(1);
  expect([(await fleet.row(job)).state, (await fleet.row(fresh)).state]).toEqual(['QUEUED', 'FAILED']);
});
