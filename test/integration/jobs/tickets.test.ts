/** Recovery tickets: what survivors held waits for the next epoch of their job, for a while (P21–P23, P30). */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { MemberKey } from '#services/fleet/model.ts';
import { cordonNode } from '#services/fleet/cordon.ts';
import { sweepQueueDeadlines, sweepTickets } from '#services/jobs/sweeps.ts';
import { inTransaction } from '#services/platform/db.ts';
import { cancelAny } from '#test/setup/cancel.ts';
import { exited, Fleet, ms, ready, type Speaker } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open(); });
afterAll(() => fleet.close());
afterEach(async () => { await fleet.world.db.updateTable('node').set({ lease_until: null }).execute(); });

const db = () => fleet.world.db;
const ticketOf = (job: string) => db().selectFrom('ticket').selectAll().where('beneficiary_job_id', '=', job).orderBy('id', 'desc').limit(1).executeTakeFirst();
const used = async (node: Speaker): Promise<number> =>
  Number((await db().selectFrom('device').select(sql<number>`sum(used_milli)::int`.as('used')).where('node_id', '=', node.id).executeTakeFirstOrThrow()).used);

interface Lost { readonly job: string; readonly keys: MemberKey[]; readonly lost: Speaker; readonly survivors: readonly [Speaker, Speaker] }

/** A gang of three that lost a node by a reboot and has left the others: QUEUED, and its ticket keeps two devices. */
async function loseOne(): Promise<Lost> {
  const [lost, a, b] = [await fleet.node(), await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([lost, a, b], { retry: { backoffSeconds: 0 } });
  await lost.reboot();
  await lost.beat();
  await a.beat([exited(keys[1]!, null)]);
  await b.beat([exited(keys[2]!, null)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  return { job, keys, lost, survivors: [a, b] };
}

it('a job that lost a member keeps the survivors’ devices: others can’t take them', async () => {
  const { job, survivors: [a, b] } = await loseOne();
  expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED' });
  expect(await ticketOf(job)).toMatchObject({ state: 'OPEN', kind: 'recovery' });
  expect((await fleet.allocations(job)).filter((row) => row.endsWith('held ticket'))).toEqual(expect.arrayContaining([`${a.id} held ticket`, `${b.id} held ticket`]));
  expect([await used(a), await used(b)]).toEqual([1_000, 1_000]);
  const other = await fleet.job({ devicesPerMember: 4 });
  expect(await fleet.tryPlace(other, [a])).not.toBe('placed');
});

it('P21 the next placement converts them, and ends the ticket in its own transaction', async () => {
  const { job, survivors } = await loseOne();
  const fresh = await fleet.node();
  await fleet.place(job, [fresh, ...survivors]);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED', end_reason: 'placed' });
  expect((await fleet.allocations(job)).every((row) => row.endsWith('held job'))).toBe(true);
  expect([await used(survivors[0]), await used(survivors[1]), await used(fresh)]).toEqual([1_000, 1_000, 1_000]);
});

it('P21 a placement by any other plan gives back what the ticket kept', async () => {
  const { job, lost, survivors: [a, b] } = await loseOne();
  const elsewhere = [await fleet.node(), await fleet.node(), await fleet.node()];
  await fleet.place(job, elsewhere);
  expect(await Promise.all([lost, a, b].map(used))).toEqual([0, 0, 0]);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED' });
});

it.each([
  ['cancelled', async (job: string) => { await cancelAny(db(), job, fleet.world.config); }],
  ['failed by its queue deadline', async (job: string) => {
    await db().updateTable('attempt').set({ running_at: null }).where('job_id', '=', job).execute();
    await db().updateTable('job').set({ queue_deadline_at: sql<Date>`clock_timestamp()` }).where('id', '=', job).execute();
    await sweepQueueDeadlines(db());
  }],
] as const)('P21 a beneficiary that is %s while it waits ends its ticket and frees what it kept', async (_how, end) => {
  const { job, survivors: [a, b] } = await loseOne();
  await end(job);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED' });
  expect(await fleet.allocations(job)).toEqual([]);
  expect([await used(a), await used(b)]).toEqual([0, 0]);
});

it('P21 a job that is cancelled while it leaves keeps nothing', async () => {
  const [lost, a] = [await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([lost, a]);
  await lost.reboot();
  await lost.beat();
  await cancelAny(db(), job, fleet.world.config);
  await a.beat([exited(keys[1]!, null)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.row(job)).toMatchObject({ state: 'CANCELLED' });
  expect(await fleet.allocations(job)).toEqual([]);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED' });
});

it('P22 a ticket ends at its deadline, and what it kept is free', async () => {
  const { job, survivors: [a, b] } = await loseOne();
  expect(await sweepTickets(db())).toBe(0);
  await fleet.pass(ms.ticket + 1_000);
  expect(await sweepTickets(db())).toBeGreaterThan(0);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED', end_reason: 'deadline' });
  expect([await used(a), await used(b)]).toEqual([0, 0]);
  expect(await fleet.row(job)).toMatchObject({ state: 'QUEUED' });
});

it('P23 a ticket ends when a node of it takes no work', async () => {
  const { job, survivors: [a, b] } = await loseOne();
  await inTransaction(db(), (tx) => cordonNode(tx, a.id, 'repair'));
  expect(await sweepTickets(db())).toBe(1);
  expect(await ticketOf(job)).toMatchObject({ state: 'ENDED', end_reason: 'a node of it takes no work' });
  expect([await used(a), await used(b)]).toEqual([0, 0]);
});

it('P23 a ticket one of whose rows is fenced ends', async () => {
  const [lost, stuck] = [await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([lost, stuck], { retry: { backoffSeconds: 0 } });
  await lost.reboot();
  await lost.beat();
  for (let n = 0; n < 2; n++) {
    await fleet.pass(ms.stuck);
    await stuck.beat([ready(keys[1]!)]);
  }
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.allocations(job)).toContain(`${stuck.id} fenced job`);
  expect(await sweepTickets(db())).toBe(1);
  await stuck.beat([exited(keys[1]!, null)]);
  expect((await fleet.allocations(job)).filter((row) => row.startsWith(stuck.id))).toEqual([]);
});

it('P30 a late “gone” hands its fenced row to the open ticket that names it', async () => {
  const [lost, stuck, calm] = [await fleet.node(), await fleet.node(), await fleet.node()];
  const { job, keys } = await fleet.running([lost, stuck, calm], { retry: { backoffSeconds: 0 } });
  await lost.reboot();
  await lost.beat();
  await calm.beat([exited(keys[2]!, null)]);
  await fleet.pass(ms.stuck + ms.lostGrace + 1_000);
  await stuck.beat([ready(keys[1]!)]);
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  await stuck.beat([exited(keys[1]!, null)]);
  expect(await ticketOf(job)).toMatchObject({ state: 'OPEN' });
  expect(await fleet.allocations(job)).toContain(`${stuck.id} held ticket`);
  expect(await fleet.nodeRow(stuck)).toMatchObject({ schedulable: true });
});
