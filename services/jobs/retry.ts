import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { lockJob } from './lock.ts';
import { isEnded } from './model.ts';
import type { JobRow } from './store.ts';
import { submitJob, type Submission, type SubmitLimits, type Submitted } from './submit.ts';

/**
 * Submits the specification of an ended job again, as a new job with `retry_of`; it starts without the old one's
 * checkpoints and budgets.
 *
 * @throws `job_not_found` 404 · `job_not_ended` 409 · what submitting throws
 */
export async function retryJob(tx: Tx, jobId: string, submission: Omit<Submission, 'retryOf' | 'spec'>, limits: SubmitLimits): Promise<Submitted & { readonly retried: JobRow }> {
  const job = await lockJob(tx, jobId);
  if (!job || !submission.access.act.includes(job.team_id)) throw problem('job_not_found', { job: jobId });
  if (!isEnded(job.state)) throw problem('job_not_ended', { job: job.id, state: job.state });
  return { ...await submitJob(tx, { ...submission, spec: job.spec, retryOf: job.id }, limits), retried: job };
}
