import type { TeamScope } from '../platform/authz-scope.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { endTicketsOf } from '../scheduler/tickets.ts';
import { lockJob } from './lock.ts';
import { isActive, isEnded } from './model.ts';
import { moveJob } from './move.ts';
import { fromNow, type JobRow } from './store.ts';
import { orderMembersToStop } from './vacate.ts';

export interface CancelRequest {
  readonly jobId: string;
  /** one sentence for people */
  readonly reason?: string;
  readonly ifVersion?: bigint;
}

export type CancelConfig = Pick<Config, 'lostGraceMs'>;

/**
 * Cancels a job. A waiting job ends at once; a placed one is asked to stop, and ends when its processes are gone.
 * Repeating it answers with the job as it is.
 *
 * @param tx     open transaction; the caller commits
 * @param scope  teams whose jobs the caller may cancel
 * @throws `job_not_found` 404 · `job_ended` 409 · `version_mismatch` 412
 */
export async function cancelJob(tx: Tx, scope: TeamScope, request: CancelRequest, config: CancelConfig): Promise<JobRow> {
  const job = await lockJob(tx, request.jobId);
  if (!job || !scope.includes(job.team_id)) throw problem('job_not_found', { job: request.jobId });
  if (job.state === 'CANCELLING' || job.state === 'CANCELLED') return job;
  if (isEnded(job.state)) throw problem('job_ended', { job: job.id, state: job.state });
  if (request.ifVersion !== undefined && request.ifVersion !== job.version) {
    throw problem('version_mismatch', { job: job.id, expected: request.ifVersion, current: job.version });
  }
  const detail = request.reason ?? 'Cancelled on request.';
  if (!isActive(job.state)) {
    const cancelled = await moveJob(tx, job, 'cancelWaiting', undefined, { detail });
    await endTicketsOf(tx, job.id, 'beneficiary cancelled'); // P21
    return cancelled;
  }

  // A lost epoch has nothing left to save: its right to publish is gone (P17).
  const graceMs = job.vacate_reason === 'lost' ? config.lostGraceMs : job.spec.checkpoint.graceSeconds * 1000;
  const cancelling = await moveJob(tx, job, 'cancelActive', undefined, {
    detail, vacate_deadline_at: job.state === 'VACATING' ? job.vacate_deadline_at : fromNow(graceMs),
  });
  await orderMembersToStop(tx, cancelling, 'cancel', graceMs);
  return cancelling;
}
