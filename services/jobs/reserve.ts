/** The move `placed` for a whole batch of jobs: two statements, where moveJob would take two a job. */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { moveOf } from './model.ts';
import { jobEvent } from './move.ts';
import { noteMove } from './moved.ts';
import type { JobRow } from './store.ts';

export interface Reservation {
  /** locked by the caller */
  readonly job: JobRow;
  /** the epoch that holds the devices */
  readonly epoch: bigint;
}

/**
 * QUEUED → RESERVED with the next epoch, by compare-and-set on each version, and one `job.placed` event a job. Why the
 * epoch before was left is no part of this one: a cancel would else grant it the short grace of a lost one. One more
 * start counts as unsupervised until its workflow has looked at the row.
 *
 * @returns the new versions by job id
 * @throws `undeclared_move` 409 · `job_version_lost` 409: nothing may be committed then
 */
export async function reserveJobs(tx: Tx, reservations: readonly Reservation[]): Promise<Map<string, bigint>> {
  for (const { job } of reservations) {
    if (!moveOf(job.state, 'placed')) throw problem('undeclared_move', { job: job.id, state: job.state, event: 'placed' });
  }
  const wanted = reservations.map(({ job, epoch }) => ({ id: job.id, version: String(job.version), epoch: String(epoch) }));
  const { rows } = await sql<{ id: string; version: bigint }>`
    update job set state = 'RESERVED', version = job.version + 1, epoch = x.epoch, state_since = clock_timestamp(), changed_at = clock_timestamp(),
      not_before = null, vacate_reason = null, vacate_deadline_at = null, unsupervised_attempts = unsupervised_attempts + 1, waiting_reason = null, waiting_detail = null, waiting_since = null
    from json_to_recordset(${JSON.stringify(wanted)}) as x (id text, version bigint, epoch bigint)
    where job.id = x.id and job.version = x.version
    returning job.id, job.version`.execute(tx);
  const versions = new Map(rows.map((row) => [row.id, row.version]));
  const lost = reservations.find(({ job }) => !versions.has(job.id));
  if (lost) throw problem('job_version_lost', { job: lost.job.id, version: lost.job.version });
  // After the update: event ids follow each job's own order (design.md §3.1).
  await appendEvent(tx, ...reservations.map(({ job, epoch }) =>
    jobEvent('job.placed', { ...job, state: 'RESERVED', vacate_reason: null, epoch, version: versions.get(job.id)! })));
  for (const [id, version] of versions) noteMove(tx, { id, version }, 'placed', 'RESERVED');
  return versions;
}
