/** The end of an epoch: what it held is settled, and nothing of it can be published any more. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import { fenceAllocations, freeAllocations, lockForRelease } from '../scheduler/allocations.ts';
import { endTicketsOf } from '../scheduler/tickets.ts';
import { isEnded } from './model.ts';
import { membersOf, updateAttempt, type JobRow } from './store.ts';

/**
 * Settles the allocations of the job's current epoch and ends its attempt, after the move that ended it, in the same
 * transaction: rows of gone members are freed or go to the ticket that names them, the others are fenced and free
 * nothing (law 4). The epoch is fenced, however it ended (P18).
 *
 * @param epoch  of the attempt that ends
 */
export async function releaseEpoch(tx: Tx, job: JobRow, epoch: bigint, reason: string): Promise<void> {
  const members = await membersOf(tx, job.id, epoch);
  const gone = members.filter((member) => member.gone_at !== null).map((member) => member.rank);
  const unproven = members.filter((member) => member.gone_at === null).map((member) => member.rank);
  await updateAttempt(tx, { job_id: job.id, epoch }, {
    fenced: true, ended_at: sql<Date>`clock_timestamp()`, end_state: job.state, end_reason: reason,
  });
  await sql`update job j
    set run_ms = j.run_ms + coalesce(extract(epoch from a.ended_at - a.running_at) * 1000, 0)::bigint
    from attempt a where j.id = ${job.id} and a.job_id = j.id and a.epoch = ${epoch}`.execute(tx);
  await lockForRelease(tx, job.id);
  if (unproven.length > 0) await fenceAllocations(tx, job.id, epoch, unproven);
  if (gone.length > 0) await freeAllocations(tx, { jobId: job.id, epoch, ranks: gone });
  await tx.updateTable('ticket_victim').set({ state: 'GONE' })
    .where('job_id', '=', job.id).where('epoch', '=', epoch).where('state', '!=', 'WITHDRAWN').execute();
  if (isEnded(job.state)) await endTicketsOf(tx, job.id, `beneficiary ${job.state.toLowerCase()}`);
}
