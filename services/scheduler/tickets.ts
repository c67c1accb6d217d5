/**
 * Tickets: devices kept for one job while they are between two holders (design.md §3.3, P21–P25). Here the ones of a
 * job's own recovery: survivors' devices wait for its next epoch.
 */
import { sql } from 'kysely';
import type { Config } from '../platform/config.ts';
import type { Db, Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { freeAllocations } from './allocations.ts';

/**
 * Opens a recovery ticket that names the rows of the job's members on heard, schedulable nodes. They move to it when
 * their processes are gone. A job has one open ticket at most; a gang of one needs none.
 */
export async function openRecoveryTicket(tx: Tx, job: { readonly id: string; readonly epoch: bigint; readonly members: number }, config: Pick<Config, 'ticketDeadlineMs'>): Promise<void> {
  if (job.members === 1) return;
  const id = newId('tkt');
  await sql`
    with named as (
      select distinct a.job_id, a.epoch, a.rank
      from allocation a join node n on n.id = a.node_id
      where a.job_id = ${job.id} and a.epoch = ${job.epoch} and a.held_by = 'job' and a.state = 'held' and n.schedulable),
    opened as (
      insert into ticket (id, kind, beneficiary_job_id, deadline_at)
      select ${id}, 'recovery', ${job.id}, clock_timestamp() + make_interval(secs => ${config.ticketDeadlineMs / 1000}::double precision)
      where exists (select from named)
        and not exists (select from ticket t where t.beneficiary_job_id = ${job.id} and t.state = 'OPEN')
      returning id)
    insert into ticket_row (ticket_id, job_id, epoch, rank)
    select o.id, n.job_id, n.epoch, n.rank from opened o, named n`.execute(tx);
}

/** Ends every open ticket of a beneficiary that is placed or terminal (P21): its rows are freed, what was planned is withdrawn. */
export async function endTicketsOf(tx: Tx, jobId: string, reason: string): Promise<void> {
  const tickets = await tx.selectFrom('ticket').select('id').where('beneficiary_job_id', '=', jobId).where('state', '=', 'OPEN').execute();
  for (const ticket of tickets) await endTicket(tx, ticket.id, reason);
}

export async function endTicket(tx: Tx, ticketId: string, reason: string): Promise<void> {
  const ended = await tx
    .updateTable('ticket')
    .set({ state: 'ENDED', ended_at: sql<Date>`clock_timestamp()`, end_reason: reason })
    .where('id', '=', ticketId)
    .where('state', '=', 'OPEN')
    .returning('id')
    .executeTakeFirst();
  if (!ended) return;
  await tx.updateTable('ticket_victim').set({ state: 'WITHDRAWN' }).where('ticket_id', '=', ticketId).where('state', '=', 'PLANNED').execute();
  await freeAllocations(tx, { ticketId });
}

/** Open tickets whose deadline has passed, or one of whose rows sits on a node that takes no work (P22, P23). */
export async function overdueTickets(db: Db | Tx): Promise<{ id: string; reason: string }[]> {
  const rows = await sql<{ id: string; reason: string }>`
    select t.id, case when t.deadline_at < clock_timestamp() then 'deadline' else 'a node of it takes no work' end as reason
    from ticket t
    where t.state = 'OPEN' and (t.deadline_at < clock_timestamp() or exists (
      select from ticket_row r join member m using (job_id, epoch, rank) join node n on n.id = m.node_id
      where r.ticket_id = t.id and not n.schedulable))
    order by t.id limit 100`.execute(db);
  return rows.rows;
}
