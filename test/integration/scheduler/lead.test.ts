import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '#services/platform/clock.ts';
import { acquire, leadWhenever, release, renew, stillLeads, type LeaderOptions } from '#services/platform/leader.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { Latch } from '#services/platform/latch.ts';
import { leadScheduling } from '#services/scheduler/lead.ts';
import { openEventSource } from '#services/events/source.ts';
import { appendEvent, wakeReadersBy } from '#services/events/append.ts';
import { freeAllocations, nodeChanged } from '#services/scheduler/allocations.ts';
import { jobKey } from '#services/events/model.ts';
import type { JobSpec } from '#services/jobs/spec.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { addJob, addNode, audit, team } from './rows.ts';
import { until } from './until.ts';

let world: World;
beforeAll(async () => { world = await openWorld(); });
afterAll(async () => { await world.close(); });

const leaseMs = 1_000;
const optionsOf = (holder: string, signal: AbortSignal): LeaderOptions => ({ name: 'scheduler', holder, leaseMs, log: world.log, signal });
const config = { placementBatchMembersMax: 20, pollMs: 60_000, sweepMs: 60_000, maxUnsupervisedAttempts: 1_000 };

/** A scheduler in this process. Polls are a minute away: whatever happens within seconds was woken. */
function startScheduler(holder: string, over: Partial<typeof config> = {}) {
  const stop = new AbortController();
  const woken = new Latch();
  wakeReadersBy(() => woken.open());
  const done = leadWhenever(world.db, optionsOf(holder, stop.signal), (leadership) =>
    leadScheduling({ db: world.db, events: openEventSource(world.db), clock: systemClock, log: world.log, config: { ...config, ...over }, woken }, leadership));
  return { woken, async stop() { stop.abort(); await done; } };
}

async function submit(spec: Partial<JobSpec>, columns: Record<string, unknown> = {}): Promise<string> {
  const id = await addJob(world.db, spec);
  if (Object.keys(columns).length > 0) await world.db.updateTable('job').set(columns).where('id', '=', id).execute();
  await inTransaction(world.db, (tx) => appendEvent(tx, { kind: 'job.submitted', key: jobKey(id), version: 1n, payload: { job: id, team, state: 'QUEUED', epoch: '0', reason: null } }));
  return id;
}

const jobRow = (id: string) => world.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const inState = (id: string, state: string) => until(async () => (await jobRow(id)).state === state);

beforeEach(async () => {
  await world.db.deleteFrom('allocation').execute();
  await world.db.deleteFrom('member').execute();
  await world.db.deleteFrom('attempt').execute();
  await world.db.updateTable('job').set({ state: 'CANCELLED' }).where('state', '!=', 'CANCELLED').execute();
  await world.db.deleteFrom('node').execute();
  await world.db.updateTable('cluster').set({ frozen_at: null, incarnation: 1 }).execute();
});

describe('the leading scheduler', () => {
  it('places what waits when it takes over, and what is submitted later, without waiting for a poll', async () => {
    await addNode(world.db, { id: 'n1', devices: 2 });
    const before = await submit({ devicesPerMember: 1 });
    const scheduler = startScheduler('a');
    await inState(before, 'RESERVED');
    const after = await submit({ devicesPerMember: 1 });
    await inState(after, 'RESERVED');
    expect(await audit(world.db)).toEqual([]);
    await scheduler.stop();
  });

  it('places a job when a device becomes free, and when a node comes', async () => {
    await addNode(world.db, { id: 'n1', devices: 1 });
    const scheduler = startScheduler('a');
    const first = await submit({ devicesPerMember: 1 });
    await inState(first, 'RESERVED');
    const second = await submit({ devicesPerMember: 1 });
    await until(async () => (await jobRow(second)).waiting_reason === 'not_enough_devices_now');
    const waiting = await jobRow(second);
    expect(waiting).toMatchObject({ state: 'QUEUED', version: 1n });
    expect(waiting.waiting_since).toBeInstanceOf(Date);

    const { epoch } = await jobRow(first);
    await inTransaction(world.db, (tx) => freeAllocations(tx, { jobId: first, epoch, ranks: [0] }));
    await inState(second, 'RESERVED');
    expect((await jobRow(second)).waiting_reason).toBeNull();

    const third = await submit({ devicesPerMember: 1, nodeSelector: { disk: 'fast' } });
    await until(async () => (await jobRow(third)).waiting_reason === 'selector_matches_no_node');
    await addNode(world.db, { id: 'n2', devices: 1, labels: { disk: 'fast' } });
    await inTransaction(world.db, (tx) => appendEvent(tx, nodeChanged('n2', 1n)));
    await inState(third, 'RESERVED');
    expect(await audit(world.db)).toEqual([]);
    await scheduler.stop();
  });

  it('a back-off ends by itself, at its time', async () => {
    await addNode(world.db, { id: 'n1' });
    const scheduler = startScheduler('a');
    const id = await submit({ devicesPerMember: 1 }, { not_before: new Date(Date.now() + 1_500) });
    await until(async () => (await jobRow(id)).waiting_reason === 'waiting_not_before');
    await inState(id, 'RESERVED');
    expect((await world.db.selectFrom('attempt').select('reserved_at').where('job_id', '=', id).executeTakeFirstOrThrow()).reserved_at.getTime())
      .toBeGreaterThanOrEqual((await jobRow(id)).state_since.getTime() - 1_000);
    await scheduler.stop();
  });

  it('a model that is behind the rows loses the commit, not the job', async () => {
    await addNode(world.db, { id: 'n1' });
    await addNode(world.db, { id: 'n2' });
    const scheduler = startScheduler('a');
    await inState(await submit({ devicesPerMember: 1 }), 'RESERVED');
    // No event tells of this: the commit finds out, and both nodes are read again.
    await world.db.updateTable('node').set({ cordoned_by_operator: true }).where('id', '=', 'n1').execute();
    await inState(await submit({ devicesPerMember: 2 }), 'RESERVED');
    const rows = await world.db.selectFrom('member').select(['node_id', 'devices']).execute();
    expect(rows.filter((row) => row.devices.length === 2).map((row) => row.node_id)).toEqual(['n2']);
    await scheduler.stop();
  });

  it('P35 places nothing while a restore is reconciled, and goes on in the new incarnation', async () => {
    await addNode(world.db, { id: 'n1' });
    const scheduler = startScheduler('a', { pollMs: 50 });
    await inState(await submit({ devicesPerMember: 1 }), 'RESERVED');
    await world.db.updateTable('cluster').set({ frozen_at: new Date() }).execute();
    const id = await submit({ devicesPerMember: 1 });
    const other = await submit({ devicesPerMember: 9 });
    expect((await jobRow(id)).state).toBe('QUEUED');
    await world.db.updateTable('cluster').set({ frozen_at: null, incarnation: 2 }).execute();
    await inState(id, 'RESERVED');
    expect((await jobRow(id)).epoch).toBe((2n << 32n) + 1n);
    await until(async () => (await jobRow(other)).waiting_reason === 'no_node_large_enough');
    await scheduler.stop();
  });

  it('stops at the bound of unsupervised starts and goes on when supervision is back', async () => {
    await addNode(world.db, { id: 'n1' });
    const scheduler = startScheduler('a', { maxUnsupervisedAttempts: 2, sweepMs: 50, pollMs: 50 });
    const ids = [await submit({ devicesPerMember: 1 }), await submit({ devicesPerMember: 1 }), await submit({ devicesPerMember: 1 })];
    await until(async () => (await jobRow(ids[2]!)).waiting_reason === 'supervision_away');
    await world.db.updateTable('job').set({ unsupervised_attempts: 0 }).where('id', '=', ids[0]!).execute();
    await inState(ids[2]!, 'RESERVED');
    await scheduler.stop();
  });

  it('200 random jobs and two schedulers that each believe to lead: nothing is over-allocated, every gang is whole', async () => {
    for (let n = 0; n < 6; n++) await addNode(world.db, { id: `n${n}`, cpuMilli: 20_000, topology: { rack: `r${n % 2}` } });
    const ids: string[] = [];
    for (let n = 0; n < 200; n++) {
      ids.push(await submit({ members: 1 + (n * 7) % 4, devicesPerMember: n % 3, cpuMilli: (n % 5) * 400, ...(n % 4 === 0 ? { topology: { level: 'rack', mode: 'required' } } : {}) } as Partial<JobSpec>));
    }
    const stop = new AbortController();
    const token = await acquire(world.db, optionsOf('both', stop.signal));
    const serve = () => leadScheduling(
      { db: world.db, events: openEventSource(world.db), clock: systemClock, log: world.log, config: { ...config, pollMs: 20 }, woken: new Latch() },
      { name: 'scheduler', holder: 'both', token: token!, over: stop.signal });
    const both = [serve(), serve()];
    await until(async () => {
      const { rest } = await world.db.selectFrom('job').select((eb) => eb.fn.countAll<bigint>().as('rest')).where('id', 'in', ids).where('state', '=', 'QUEUED').where('waiting_reason', 'is', null).executeTakeFirstOrThrow();
      return rest === 0n;
    });
    stop.abort();
    await Promise.all(both);
    expect(await audit(world.db)).toEqual([]);
    const placed = await world.db.selectFrom('job').select(['id', 'epoch', 'members']).where('id', 'in', ids).where('state', '=', 'RESERVED').execute();
    expect(placed.length).toBeGreaterThan(10);
    for (const job of placed) {
      const members = await world.db.selectFrom('member').select('rank').where('job_id', '=', job.id).execute();
      expect(members).toHaveLength(job.members);
      expect(job.epoch).toBe((1n << 32n) + 1n);
    }
    await release(world.db, optionsOf('both', stop.signal));
  });
});

describe('leadership', () => {
  const never = new AbortController().signal;

  it('is one holder at a time, by the database\'s clock; take-over raises the token', async () => {
    const [a, b] = [optionsOf('a', never), optionsOf('b', never)];
    const first = await acquire(world.db, a);
    expect(await acquire(world.db, b)).toBeUndefined();
    expect(await renew(world.db, a)).toBe(true);
    await world.db.updateTable('leader_lease').set({ expires_at: new Date(0) }).where('name', '=', 'scheduler').execute();
    expect(await renew(world.db, a)).toBe(false);
    expect(await acquire(world.db, b)).toBe(first! + 1n);
    expect(await inTransaction(world.db, (tx) => stillLeads(tx, { name: 'scheduler', holder: 'a', token: first! }))).toBe(false);
    await release(world.db, a);
    expect(await renew(world.db, b)).toBe(true);
    await release(world.db, b);
  });

  it('take-over waits for the plan in flight', async () => {
    const first = await acquire(world.db, optionsOf('a', never));
    const order: string[] = [];
    const locked = new Latch();
    const commitNow = new Latch();
    const plan = inTransaction(world.db, async (tx) => {
      expect(await stillLeads(tx, { name: 'scheduler', holder: 'a', token: first! })).toBe(true);
      locked.open();
      await commitNow.wait(10_000, never);
      order.push('plan');
    });
    await locked.wait(10_000, never);
    await world.db.updateTable('leader_lease').set({ expires_at: new Date(0) }).where('name', '=', 'scheduler').execute();
    const takeOver = acquire(world.db, optionsOf('b', never)).then((token) => { order.push('take-over'); return token; });
    await until(async () => waitsForLock(world.db));
    commitNow.open();
    await plan;
    expect(await takeOver).toBe(first! + 1n);
    expect(order).toEqual(['plan', 'take-over']);
    await release(world.db, optionsOf('b', never));
  });

  it('a clean end hands over at once, not when the lease would end', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const led: string[] = [];
    const long = (holder: string, signal: AbortSignal): LeaderOptions => ({ ...optionsOf(holder, signal), leaseMs: 2_000 });
    const lead = (holder: string) => async ({ over }: { over: AbortSignal }): Promise<void> => {
      led.push(holder);
      await new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
    };
    const first = leadWhenever(world.db, long('one', one.signal), lead('one'));
    await until(async () => led.length === 1);
    const second = leadWhenever(world.db, long('two', two.signal), lead('two'));
    one.abort();
    await first;
    const { expires_at: lease } = await world.db.selectFrom('leader_lease').selectAll().where('name', '=', 'scheduler').executeTakeFirstOrThrow();
    expect(Number(lease)).not.toBeGreaterThan(Date.now());
    await until(async () => led.includes('two'));
    two.abort();
    await second;
  });
});

async function waitsForLock(db: Db): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(db);
  return rows.length > 0;
}
