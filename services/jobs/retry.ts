import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { lockJob } from './lock.ts';
import { isEnded } from './model.ts';
import type { QueueRoom } from './queue-room.ts';
import type { JobRow } from './store.ts';
import { submitJob, type Submission } from './submit.ts';

/**
 * Submits the specification of an ended job again, as a new job with `retry_of`; it starts without the old one's
 * checkpoints and budgets.
 *
 * @throws `job_not_found` 404 · `job_not_ended` 409 · what submitting throws
 */
export async function retryJob(tx: Tx, room: QueueRoom, jobId: string, submission: Omit<Submission, 'retryOf'>): Promise<JobRow> {
  const job = await lockJob(tx, jobId);
  if (!job) throw problem('job_not_found', { job: jobId });
  if (!isEnded(job.state)) throw problem('job_not_ended', { job: job.id, state: job.state });
  return submitJob(tx, room, job.spec, { ...submission, retryOf: job.id });
}
