/** The one way a job changes its state. */
import { sql, type UpdateObject } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { jobKey, type Event, type EventKind } from '../events/model.ts';
import type { DB } from '../platform/database.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isEnded, moveOf, type JobEvent, type JobState } from './model.ts';
import { noteMove } from './moved.ts';
import { updateJob, type JobRow } from './store.ts';

export type JobChange = Omit<UpdateObject<DB, 'job'>, 'id' | 'state' | 'version' | 'changed_at' | 'state_since' | 'ended_at'>;

/**
 * Moves a job along the table of model.ts by compare-and-set on its version, and appends the event. The caller holds
 * the job's lock and does what the move says about devices.
 *
 * @param to      needed where the move has several targets (P15)
 * @param change  further columns of the same update
 * @throws `undeclared_move` 409 · `job_version_lost` 409, when someone was faster
 */
export async function moveJob(tx: Tx, job: JobRow, event: JobEvent, to?: JobState, change: JobChange = {}): Promise<JobRow> {
  const move = moveOf(job.state, event);
  const target = to ?? move?.to[0];
  if (!move || !target || !(move.to as readonly JobState[]).includes(target)) {
    throw problem('undeclared_move', { job: job.id, state: job.state, event });
  }
  const moved = await updateJob(tx, job, {
    ...change,
    state: target,
    state_since: sql<Date>`clock_timestamp()`,
    ...(isEnded(target) ? { ended_at: sql<Date>`clock_timestamp()`, waiting_reason: null, waiting_detail: null, waiting_since: null } : {}),
  });
  if (!moved) throw problem('job_version_lost', { job: job.id, version: job.version });
  await appendEvent(tx, jobEvent(event === 'placed' || event === 'takenOver' ? 'job.placed' : 'job.changed', moved)); // after the update: ids follow the job's own order
  noteMove(tx, moved, event, target);
  return moved;
}

export function jobEvent(kind: EventKind, job: JobRow): Event {
  return {
    kind,
    key: jobKey(job.id),
    version: job.version,
    payload: { job: job.id, team: job.team_id, state: job.state, epoch: job.epoch.toString(), reason: job.vacate_reason, request: job.request_id },
  };
}
