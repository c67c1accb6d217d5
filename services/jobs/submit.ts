import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { findTeam } from '../teams/find.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { currentTraceParent } from '../platform/tracing.ts';
import { priorityOf } from './model.ts';
import { jobEvent } from './move.ts';
import { noteMove } from './moved.ts';
import type { QueueRoom } from './queue-room.ts';
import { withDefaults, type FullJobSpec, type JobSpec } from './spec.ts';
import { insertJob, type JobRow } from './store.ts';

export interface Submission {
  readonly requestId: string;
  /** of argv and env together */
  readonly launchBytesMax: number;
  /** the ended job that this one repeats */
  readonly retryOf?: string;
}

/**
 * Puts a job into its team's queue.
 *
 * @param tx  open transaction; the caller commits
 * @throws `invalid_request` 400 for an unknown team, or arguments and environment that are too large together · `queue_full` 429
 */
export async function submitJob(tx: Tx, room: QueueRoom, spec: JobSpec, submission: Submission): Promise<JobRow> {
  const full = withDefaults(spec);
  const team = await findTeam(tx, full.team);
  if (!team) {
    throw problem('invalid_request', { team: full.team }, [
      { pointer: '/team', detail: `team ${full.team} does not exist; GET /v1/teams lists the teams, POST /v1/teams makes one` }]);
  }
  requireLaunchable(full, submission.launchBytesMax);
  await room.take(tx, team.id);
  const job = await insertJob(tx, {
    id: newId('job'),
    team_id: team.id,
    name: full.name,
    spec: JSON.stringify(full),
    state: 'QUEUED',
    members: full.members,
    priority: priorityOf[full.priorityClass],
    preemptible: full.preemptible,
    exclusive: full.exclusive,
    queue_deadline_at: queueDeadline(full),
    retry_of: submission.retryOf ?? null,
    request_id: submission.requestId,
    trace_parent: currentTraceParent(),
  });
  await appendEvent(tx, jobEvent('job.submitted', job)); // after the insert: event ids follow the job's own order
  noteMove(tx, job, 'submitted', job.state);
  return job;
}

function requireLaunchable({ argv, env }: FullJobSpec, bytesMax: number): void {
  const bytes = Buffer.byteLength(JSON.stringify({ argv, env }));
  if (bytes <= bytesMax) return;
  throw problem('invalid_request', { bytes, limit: bytesMax }, [
    { pointer: '/env', detail: `argv and env have ${bytes} bytes together, at most ${bytesMax} are taken; put large values into a file that the program reads` }]);
}

const queueDeadline = (spec: FullJobSpec) =>
  spec.queueDeadlineSeconds === undefined ? null : sql<Date>`clock_timestamp() + make_interval(secs => ${spec.queueDeadlineSeconds})`;
