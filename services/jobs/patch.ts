import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import type { TeamScope } from '../platform/authz-scope.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { lockJob } from './lock.ts';
import { isEnded, isWaiting, priorityOf } from './model.ts';
import { jobEvent } from './move.ts';
import type { FullJobSpec, JobSpec } from './spec.ts';
import { updateJob, type JobRow } from './store.ts';

export interface JobPatch {
  readonly labels?: NonNullable<JobSpec['labels']>;
  readonly priorityClass?: NonNullable<JobSpec['priorityClass']>;
  /** null: none */
  readonly timeLimitSeconds?: number | null;
}

/**
 * Changes what may change of a specification: labels always, the priority while the job waits, the time limit until its
 * end. Once placed the limit can only grow: others plan with its end, and a shorter one would stop the job by surprise.
 *
 * @param ifVersion  undefined: any
 * @returns the job before and after
 * @throws `job_not_found` 404 · `version_mismatch` 412 · `job_ended`, `job_not_waiting`, `time_limit_shortened` 409
 */
export async function patchJob(tx: Tx, scope: TeamScope, jobId: string, patch: JobPatch, ifVersion: bigint | undefined): Promise<{ readonly before: JobRow; readonly after: JobRow }> {
  const job = await lockJob(tx, jobId);
  if (!job || !scope.includes(job.team_id)) throw problem('job_not_found', { job: jobId });
  if (ifVersion !== undefined && ifVersion !== job.version) throw problem('version_mismatch', { job: job.id, expected: ifVersion, current: job.version });
  requireChangeable(job, patch);
  const spec = patched(job.spec, patch);
  const after = await updateJob(tx, job, { spec: sql`${JSON.stringify(spec)}::jsonb`, priority: priorityOf[spec.priorityClass] });
  if (!after) throw problem('job_version_lost', { job: job.id, version: job.version });
  await appendEvent(tx, jobEvent('job.changed', after)); // after the update: event ids follow the job's own order
  return { before: job, after };
}

function requireChangeable(job: JobRow, { priorityClass, timeLimitSeconds }: JobPatch): void {
  if (priorityClass !== undefined && priorityClass !== job.spec.priorityClass && !isWaiting(job.state)) throw problem('job_not_waiting', { job: job.id, state: job.state });
  if (timeLimitSeconds === undefined) return;
  if (isEnded(job.state)) throw problem('job_ended', { job: job.id, state: job.state });
  const isShorter = (timeLimitSeconds ?? Infinity) < (job.spec.timeLimitSeconds ?? Infinity);
  if (isShorter && !(isWaiting(job.state) && job.epoch === 0n)) throw problem('time_limit_shortened', { job: job.id, timeLimitSeconds: job.spec.timeLimitSeconds ?? 'none' });
}

function patched(spec: FullJobSpec, { labels, priorityClass, timeLimitSeconds }: JobPatch): FullJobSpec {
  const { timeLimitSeconds: limit, ...rest } = spec;
  const next = timeLimitSeconds === undefined ? limit : timeLimitSeconds ?? undefined;
  return { ...rest, ...(labels ? { labels } : {}), ...(priorityClass ? { priorityClass } : {}), ...(next === undefined ? {} : { timeLimitSeconds: next }) };
}
