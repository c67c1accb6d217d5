/** Locks of jobs, the first in the global order after the leader's token (design.md §3.4). For every room that changes a job. */
import type { Tx } from '../platform/db.ts';
import { toJobRow, type JobRow } from './store.ts';

export async function lockJob(tx: Tx, jobId: string): Promise<JobRow | undefined> {
  const row = await tx.selectFrom('job').selectAll().where('id', '=', jobId).forUpdate().executeTakeFirst();
  return row && toJobRow(row);
}

/** Locks several jobs in the order of their ids, so that two transactions never wait for each other. */
export async function lockJobs(tx: Tx, jobIds: readonly string[]): Promise<Map<string, JobRow>> {
  if (jobIds.length === 0) return new Map();
  const rows = await tx.selectFrom('job').selectAll().where('id', 'in', [...jobIds]).orderBy('id').forUpdate().execute();
  return new Map(rows.map((row) => [row.id, toJobRow(row)]));
}
