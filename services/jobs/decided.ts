/** The guard of every transition that a workflow asks for: the row must still be what the decision was made on. */
import type { Tx } from '../platform/db.ts';
import type { Decided, Outcome } from './model.ts';
import { lockJob } from './lock.ts';
import type { JobRow } from './store.ts';

export const superseded = (job: JobRow): Outcome =>
  ({ kind: 'superseded', state: job.state, version: job.version.toString(), epoch: job.epoch.toString() });

/**
 * Locks the job and compares it with the decision: epoch, version, incarnation, and no restore under way (P35).
 * @throws Error for an unknown job: a workflow's job is never deleted
 */
export async function lockDecided(tx: Tx, decided: Decided): Promise<{ readonly job: JobRow; readonly current: boolean }> {
  const job = await lockJob(tx, decided.jobId);
  if (!job) throw new Error(`job ${decided.jobId} of a decision has no row`);
  const cluster = await tx.selectFrom('cluster').select(['incarnation', 'frozen_at']).executeTakeFirstOrThrow();
  const current = job.epoch.toString() === decided.epoch && job.version.toString() === decided.version
    && cluster.incarnation === decided.incarnation && cluster.frozen_at === null;
  return { job, current };
}
