/** The one lock order (design.md §3.4), under load: everything that writes, at once, on a few jobs and nodes. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmTerminated } from '#services/fleet/confirm-terminated.ts';
import type { MemberObservation } from '#services/fleet/model.ts';
import { isEnded, isWaiting } from '#services/jobs/model.ts';
import { sweepFenceCordons, sweepTickets } from '#services/jobs/sweeps.ts';
import { lockJob } from '#services/jobs/lock.ts';
import { lockAttempt } from '#services/jobs/store.ts';
import { inTransaction, type Tx } from '#services/platform/db.ts';
import { endTicket } from '#services/scheduler/tickets.ts';
import { Problem } from '#services/platform/errors.ts';
import { cancelAny } from '#test/setup/cancel.ts';
import { until } from '#test/setup/events.ts';
import { audit } from '#test/integration/scheduler/rows.ts';
import { exited, Fleet, ready, type Speaker } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open({ MUSTER_DATABASE_POOL_MAX: '20', MUSTER_TICKET_DEADLINE_MS: '200' }); });
afterAll(() => fleet.close());

const runMs = 4_000;

const deadlocks = async (): Promise<number> => {
  await sql`select pg_stat_force_next_flush()`.execute(fleet.world.db);
  return (await sql<{ n: number }>`select deadlocks::int as n from pg_stat_database where datname = current_database()`.execute(fleet.world.db)).rows[0]!.n;
};

/** A mulberry32, so that a run can be repeated. */
function chance(seed: number): (below: number) => number {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

it('beats, reboots, proofs, placements, stops, ends, cancels and sweeps at once: no deadlock, and nothing is over-allocated', async () => {
  const nodes = [await fleet.node(), await fleet.node(), await fleet.node(), await fleet.node(), await fleet.node()];
  const jobs: string[] = [];
  const spec = { members: 3, retry: { userFailures: 1_000, infrastructureFailures: 1_000, backoffSeconds: 0 } };
  for (let n = 0; n < 6; n++) jobs.push(await fleet.job(spec));
  const before = await deadlocks();
  const endMs = performance.now() + runMs;
  const counts = new Map<string, number>();
  const errors: string[] = [];

  /** Repeats `act` until the end; refusals by the rules are ordinary here, an error of the database is not. */
  const busy = async (name: string, seed: number, act: (random: (below: number) => number) => Promise<unknown>): Promise<void> => {
    const random = chance(seed);
    while (performance.now() < endMs) {
      try {
        await act(random);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      } catch (error) {
        if (!(error instanceof Problem)) errors.push(`${name}: ${String(error)}`);
      }
    }
  };
  const one = <T>(all: readonly T[], random: (below: number) => number): T => all[random(all.length)]!;

  const beatOn = (node: Speaker, random: (below: number) => number) => speak(node, random, async () => {
    const rows = await fleet.world.db.selectFrom('member').selectAll().where('node_id', '=', node.id).where('gone_at', 'is', null).where('ordered_boot_id', '=', node.bootId).execute();
    return rows.map((row): MemberObservation => {
      const key = { job: row.job_id, epoch: row.epoch.toString(), rank: row.rank };
      return row.desired === 'stop' || random(12) === 0 ? exited(key, random(3) === 0 ? 0 : 1) : ready(key);
    });
  });

  await Promise.all([
    ...nodes.map((node, n) => busy('beat', n, (random) => beatOn(node, random))),
    ...[1, 2].map((n) => busy('place', 10 + n, async (random) => {
      const job = one(jobs, random);
      if (!isWaiting((await fleet.row(job)).state)) return;
      const first = random(nodes.length);
      await fleet.tryPlace(job, [0, 1, 2].map((rank) => nodes[(first + rank * (1 + random(2))) % nodes.length]!)).catch((error: unknown) => {
        if (!String(error).includes('does not wait')) throw error;
      });
    })),
    ...[1, 2, 3].map((n) => busy('supervise', 20 + n, (random) => fleet.supervise(one(jobs, random)))),
    busy('drain', 30, async (random) => { await fleet.vacate(one(jobs, random), 'drained', 'drain'); }),
    busy('prove', 31, async (random) => {
      const node = one(nodes, random);
      if (random(4) === 0) await inTransaction(fleet.world.db, (tx) => confirmTerminated(tx, { node: node.id, bootId: node.bootId, proof: 'test' }, fleet.world.config));
    }),
    busy('sweep', 32, async () => { await sweepTickets(fleet.world.db); await sweepFenceCordons(fleet.world.db); }),
    busy('cancel', 33, async (random) => {
      const n = random(jobs.length);
      if (random(10) > 0 || isEnded((await fleet.row(jobs[n]!)).state)) return;
      await cancelAny(fleet.world.db, jobs[n]!, fleet.world.config);
      jobs[n] = await fleet.job(spec);
    }),
  ]);

  expect(errors).toEqual([]);
  expect(await audit(fleet.world.db)).toEqual([]);
  console.log(JSON.stringify({ ...Object.fromEntries(counts), deadlocks: (await deadlocks()) - before }));
  for (const name of ['beat', 'place', 'supervise', 'drain', 'prove', 'cancel']) expect(counts.get(name), name).toBeGreaterThan(5);
  expect((await deadlocks()) - before).toBe(0);
}, 30_000);

/** Beats with what `tell` reads; now and then the node boots anew. A beat that another has overtaken asks for a session. */
async function speak(node: Speaker, random: (below: number) => number, tell: () => Promise<MemberObservation[]>): Promise<void> {
  if (random(15) === 0) await node.reboot();
  const answer = await node.send(node.compose(await tell()));
  if ('refused' in answer) await node.hello();
  else if ((await fleet.nodeRow(node)).state === 'DEAD') await node.reboot();
}

describe('two that meet', () => {
  /**
   * Takes what `holds` takes, starts `other`, waits until that waits, and takes what `wants` takes. Where `other` holds any
   * of it, that is the half of a deadlock, and the second lock is not had in time.
   */
  async function meet(holds: (tx: Tx) => Promise<unknown>, other: () => Promise<unknown>, wants: (tx: Tx) => Promise<unknown>): Promise<void> {
    let running: Promise<unknown> | undefined;
    await fleet.world.db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '500ms'`.execute(tx); // half of what the server waits before it looks for a deadlock
      await holds(tx);
      running = other();
      await until(async () => (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(fleet.world.db)).rows.length > 0);
      await wants(tx);
    });
    await running;
  }

  const lockNode = (node: Speaker) => (tx: Tx) => sql`select from node where id = ${node.id} for no key update`.execute(tx);

  it('a run’s first look and a beat: job before attempt', async () => {
    const { job, keys } = await fleet.running([await fleet.node()]);
    await meet((tx) => lockJob(tx, job), () => fleet.view(job), (tx) => lockAttempt(tx, job, BigInt(keys[0]!.epoch)));
    expect((await fleet.attempt(job)).supervised_at).not.toBeNull();
  });

  it('a beat that orders a start and a stop of the same member: job before member before node', async () => {
    const node = await fleet.node();
    const job = await fleet.job();
    await fleet.place(job, [node]);
    await meet(async (tx) => { await lockJob(tx, job); await lockNode(node)(tx); }, () => node.beat(),
      (tx) => sql`update member set stop_reason = 'drain' where job_id = ${job}`.execute(tx));
  });

  it('a reboot that stops two gangs and another that locks their nodes: nodes by id, over all gangs', async () => {
    const [first, second, booting] = [await fleet.node(), await fleet.node(), await fleet.node()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Speaker, Speaker, Speaker];
    await fleet.running([booting, second]); // the older job, so its stop comes first
    await fleet.running([booting, first]);
    await booting.reboot();
    await meet(lockNode(first), () => booting.beat(), lockNode(second));
  });

  it('a proof that stops two gangs does the same', async () => {
    const [first, second, over] = [await fleet.node(), await fleet.node(), await fleet.node()].sort((a, b) => (a.id < b.id ? -1 : 1)) as [Speaker, Speaker, Speaker];
    await fleet.running([over, second]);
    await fleet.running([over, first]);
    await meet(lockNode(first), () => inTransaction(fleet.world.db, (tx) => confirmTerminated(tx, { node: over.id, bootId: over.bootId, proof: 'test' }, fleet.world.config)), lockNode(second));
  });

  it('P21 an epoch that gives its rows back while their ticket ends: the ticket before the nodes, and no row stays with it', async () => {
    const [lost, survivor] = [await fleet.node(), await fleet.node()];
    const { job, keys } = await fleet.running([lost, survivor]);
    await lost.reboot();
    await lost.beat();
    await survivor.beat([exited(keys[1]!, null)]);
    const ticket = await fleet.world.db.selectFrom('ticket').select('id').where('beneficiary_job_id', '=', job).executeTakeFirstOrThrow();
    let ended: Promise<unknown> | undefined;
    await inTransaction(fleet.world.db, async (tx) => {
      await endTicket(tx, ticket.id, 'deadline');
      ended = fleet.supervise(job);
      await Promise.race([ended, until(async () => (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(fleet.world.db)).rows.length > 0)]);
    });
    await ended;
    expect(await fleet.allocations(job)).toEqual([]);
    expect(await audit(fleet.world.db)).toEqual([]);
  });
});
