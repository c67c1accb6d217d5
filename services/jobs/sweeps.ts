/** Sweeps over jobs: each without input, idempotent, and counting what it found; a healthy system finds nothing (SL17). */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import { liftFenceCordons } from '../scheduler/allocations.ts';
import { endTicket, endTicketsOf, overdueTickets } from '../scheduler/tickets.ts';
import { isActive } from './model.ts';
import { jobEvent, moveJob } from './move.ts';
import { lockJob } from './lock.ts';

/** Rows that one sweep handles at most; the next one goes on. */
const perSweepMax = 500;
/** A placed job is normally supervised within a second; past this its `placed` is told again (P28). */
const unsupervisedAfterSeconds = 15;

/** Waiting jobs past their queue deadline are FAILED; one that has run waits for its restart as long as that takes. */
export async function sweepQueueDeadlines(db: Db): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from job j where state in ('SUBMITTED', 'QUEUED') and queue_deadline_at < clock_timestamp()
      and not exists (select from attempt a where a.job_id = j.id and a.running_at is not null)
    order by id limit ${perSweepMax}`.execute(db);
  let ended = 0;
  for (const { id } of rows) {
    ended += await inTransaction(db, async (tx) => {
      const job = await lockJob(tx, id);
      if (!job || (job.state !== 'SUBMITTED' && job.state !== 'QUEUED')) return 0;
      await moveJob(tx, job, 'queueDeadlinePassed', 'FAILED', { detail: 'it did not start before its queue deadline' });
      await endTicketsOf(tx, job.id, 'beneficiary failed');
      return 1;
    });
  }
  return ended;
}

/** Tickets past their deadline, or on a node that takes no work, end; what they held is free again (P22, P23). */
export async function sweepTickets(db: Db): Promise<number> {
  const overdue = await overdueTickets(db);
  // One transaction a ticket: each locks its ticket, then its nodes; two in one would lock nodes out of order.
  for (const ticket of overdue) await inTransaction(db, (tx) => endTicket(tx, ticket.id, ticket.reason));
  return overdue.length;
}

/** Cordons set by a fence whose last row is gone (P19); normally lifted with the proof itself. */
export async function sweepFenceCordons(db: Db): Promise<number> {
  const nodes = await db.selectFrom('node').select('id').where('cordoned_by_fence', '=', true).where('state', '=', 'LIVE')
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('allocation').select('rank').whereRef('allocation.node_id', '=', 'node.id').where('allocation.state', '=', 'fenced'))))
    .orderBy('id').limit(perSweepMax).execute();
  if (nodes.length > 0) await inTransaction(db, (tx) => liftFenceCordons(tx, nodes.map((node) => node.id)));
  return nodes.length;
}

export interface RunOpen { (jobId: string): Promise<boolean> }

/**
 * P28: `placed` is told again for an active job without an open run. Attempts that no run has read come first; of the
 * others, the ones that changed longest ago are asked about, a bounded number a sweep.
 *
 * @param isOpen  whether Temporal has an open run of the job; throws while Temporal is away, which ends the sweep
 */
export async function sweepUnsupervised(db: Db, isOpen: RunOpen, asked: number): Promise<number> {
  const { rows } = await sql<{ id: string; unread: boolean }>`
    select j.id, a.supervised_at is null as unread
    from job j join attempt a on a.job_id = j.id and a.epoch = j.epoch
    where j.state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING')
      and greatest(j.state_since, a.reserved_at) < clock_timestamp() - make_interval(secs => ${unsupervisedAfterSeconds}::double precision)
    order by a.supervised_at is null desc, random() limit ${asked}`.execute(db);
  let found = 0;
  for (const { id } of rows) {
    if (await isOpen(id)) continue;
    found += await inTransaction(db, async (tx) => {
      const job = await lockJob(tx, id);
      if (!job || !isActive(job.state)) return 0;
      await appendEvent(tx, jobEvent('job.placed', job));
      return 1;
    });
  }
  return found;
}
