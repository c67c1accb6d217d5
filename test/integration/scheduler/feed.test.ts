import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendEvent } from '#services/events/append.ts';
import { jobKey, type EventKind } from '#services/events/model.ts';
import { openEventSource } from '#services/events/source.ts';
import type { JobState } from '#services/jobs/model.ts';
import { systemClock } from '#services/platform/clock.ts';
import { inTransaction } from '#services/platform/db.ts';
import { nodeChanged } from '#services/scheduler/allocations.ts';
import { Feed } from '#services/scheduler/feed.ts';
import { ReasonBook } from '#services/scheduler/reasons.ts';
import { FleetState } from '#services/scheduler/state.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { addJob, addNode, team } from './rows.ts';

let world: World;
beforeAll(async () => { world = await openWorld(); });
afterAll(async () => { await world.close(); });

async function openFeed(): Promise<{ readonly feed: Feed; readonly state: FleetState }> {
  const state = new FleetState(1_000);
  const feed = new Feed({ db: world.db, events: openEventSource(world.db), state, book: new ReasonBook(), clock: systemClock });
  await feed.rebuild();
  return { feed, state };
}

const tell = (job: string, state: JobState, version: bigint, kind: EventKind = 'job.changed') => inTransaction(world.db, (tx) =>
  appendEvent(tx, { kind, key: jobKey(job), version, payload: { job, team, state, epoch: '0', reason: null } }));

it('a model built at take-over has the nodes and the waiting jobs, and nothing that ended', async () => {
  await addNode(world.db, { id: 'n-start', devices: 2, topology: { rack: 'r' }, labels: { disk: 'fast' } });
  const [waits, over] = [await addJob(world.db, {}), await addJob(world.db, {})];
  await world.db.updateTable('job').set({ state: 'SUCCEEDED' }).where('id', '=', over).execute();
  const { state } = await openFeed();
  expect(state.nodes.get('n-start')).toMatchObject({ schedulable: true, topology: { rack: 'r' }, labels: { disk: 'fast' }, devices: [{ index: 0, freeMilli: 1_000 }, { index: 1 }] });
  expect(state.pending(waits)).toBeDefined();
  expect(state.pending(over)).toBeUndefined();
});

it('an event makes it read the row, whatever the event itself says', async () => {
  const { feed, state } = await openFeed();
  const id = await addJob(world.db, { members: 3 });
  await tell(id, 'QUEUED', 1n, 'job.submitted');
  await feed.follow();
  expect(state.pending(id)?.shape.members).toBe(3);
  await world.db.updateTable('job').set({ state: 'CANCELLED', version: 2n }).where('id', '=', id).execute();
  await tell(id, 'QUEUED', 1n); // an older one that comes late
  await feed.follow();
  expect(state.pending(id)).toBeUndefined();
});

it('the echo of an own placement reads nothing; the same news from elsewhere does', async () => {
  const { feed, state } = await openFeed();
  const id = await addJob(world.db, {});
  await tell(id, 'QUEUED', 1n, 'job.submitted');
  await feed.follow();
  await world.db.updateTable('job').set({ state: 'RESERVED', version: 2n }).where('id', '=', id).execute();
  feed.expectEcho(id, 2n);
  await tell(id, 'RESERVED', 2n, 'job.placed');
  await feed.follow();
  expect(state.pending(id)).toBeDefined(); // not read again: the leader has taken it out itself
  await tell(id, 'RESERVED', 2n, 'job.placed');
  await feed.follow();
  expect(state.pending(id)).toBeUndefined();
});

it('a node is read again for a newer version only, and forgotten when its row is gone', async () => {
  const { feed, state } = await openFeed();
  await addNode(world.db, { id: 'n-new', devices: 1 });
  await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n-new', 1n)));
  await feed.follow();
  expect(state.nodes.get('n-new')?.schedulable).toBe(true);
  await world.db.updateTable('node').set({ cordoned_by_operator: true, version: 2n }).where('id', '=', 'n-new').execute();
  await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n-new', 1n)));
  await feed.follow();
  expect(state.nodes.get('n-new')?.schedulable).toBe(true);
  await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n-new', 2n)));
  await feed.follow();
  expect(state.nodes.get('n-new')?.schedulable).toBe(false);
  await world.db.deleteFrom('node').where('id', '=', 'n-new').execute();
  await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n-new', 3n)));
  await feed.follow();
  expect(state.nodes.has('n-new')).toBe(false);
});

it('the sweep finds a node that changed without an event, once', async () => {
  const { feed, state } = await openFeed();
  await addNode(world.db, { id: 'n-quiet', devices: 1 });
  expect(await feed.sweep()).toBe(1);
  await feed.follow();
  expect(state.nodes.has('n-quiet')).toBe(true);
  expect(await feed.sweep()).toBe(0);
});

it('a job is read again when a node changes on which its ticket or its older epoch has rows', async () => {
  const { feed, state } = await openFeed();
  await addNode(world.db, { id: 'n-tied', devices: 2 });
  const id = await addJob(world.db, { devicesPerMember: 1, exclusive: true });
  const epoch = (1n << 32n) + 1n;
  await world.db.updateTable('job').set({ epoch }).where('id', '=', id).execute();
  await world.db.insertInto('attempt').values({ job_id: id, epoch, members: 1 }).execute();
  await world.db.insertInto('member').values({ job_id: id, epoch, rank: 0, node_id: 'n-tied', local_rank: 0, devices: [0] }).execute();
  await world.db.insertInto('allocation').values({ job_id: id, epoch, rank: 0, device_idx: 0, node_id: 'n-tied', milli: 1_000, state: 'fenced' }).execute();
  await tell(id, 'QUEUED', 1n, 'job.submitted');
  await feed.follow();
  expect(state.pending(id)?.olderEpochNodes).toEqual(['n-tied']);
  await world.db.deleteFrom('allocation').where('job_id', '=', id).execute();
  await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n-tied', 2n)));
  await feed.follow();
  expect(state.pending(id)?.olderEpochNodes).toEqual([]);
});

it('a checkpoint that only its nodes can reach pins each rank to what it wrote', async () => {
  const id = await addJob(world.db, { members: 2 });
  await world.db.insertInto('checkpoint').values({ id: 'ckpt-pins', job_id: id, epoch: 5n, step: 40n, dir: 'd', reach: 'node', nodes: ['x', 'y'], layout: '{}', data_position: '{}', shards: 2, bytes: 2n }).execute();
  const shard = { job_id: id, epoch: 5n, step: 40n, bytes: 1n, sha256: 'a'.repeat(64) };
  await world.db.insertInto('checkpoint_shard').values([
    { ...shard, rank: 0, path: 'a', node_id: 'y' }, { ...shard, rank: 0, path: 'b', node_id: 'y' }, { ...shard, rank: 1, path: 'a', node_id: 'x' },
  ]).execute();
  await world.db.insertInto('checkpoint_pointer').values({ job_id: id, checkpoint_id: 'ckpt-pins', epoch: 5n, step: 40n }).execute();
  const { state } = await openFeed();
  expect(state.pending(id)?.pins).toEqual({ nodes: ['x', 'y'], ranks: { 0: 'y', 1: 'x' } });
});
