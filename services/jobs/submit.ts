import { appendEvent } from '../events/append.ts';
import type { Access } from '../platform/authz-scope.ts';
import type { Tx } from '../platform/db.ts';
import { problem, Problem } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { findTeams, type Team } from '../teams/find.ts';
import { priorityOf } from './model.ts';
import { jobEvent } from './move.ts';
import { noteMove } from './moved.ts';
import type { QueueRoom } from './queue-room.ts';
import { refusalOfSecrets } from './spec-secrets.ts';
import { withDefaults, type FullJobSpec, type JobSpec } from './spec.ts';
import { insertJobs, type JobRow, type NewJob } from './store.ts';

export interface Submission {
  readonly spec: JobSpec;
  readonly access: Access;
  readonly requestId: string;
  /** W3C traceparent of the request */
  readonly traceParent: string | null;
  /** the ended job that this one repeats */
  readonly retryOf?: string;
}

export interface SubmitLimits {
  readonly room: QueueRoom;
  /** of argv and env together */
  readonly launchBytesMax: number;
}

export interface Submitted { readonly job: JobRow; readonly team: string }

/**
 * Puts a job into its team's queue.
 *
 * @param tx  open transaction; the caller commits
 * @throws `forbidden` 403 for a team that the caller only sees · `invalid_request` 400 for an unknown team, or arguments and environment that are too large together · `queue_full` 429
 */
export async function submitJob(tx: Tx, submission: Submission, limits: SubmitLimits): Promise<Submitted> {
  const [verdict] = await submitJobs(tx, [submission], limits);
  if (verdict === undefined || verdict instanceof Problem) throw verdict;
  return verdict;
}

/**
 * The same for many, each with its own verdict: what is refused leaves the others alone. A handful of statements,
 * whatever the number: one a job would cost more than the jobs.
 *
 * @returns a verdict for each, in their order
 */
export async function submitJobs(tx: Tx, submissions: readonly Submission[], { room, launchBytesMax }: SubmitLimits): Promise<(Submitted | Problem)[]> {
  const specs = submissions.map(({ spec }) => withDefaults(spec));
  const teams = await findTeams(tx, [...new Set(specs.map((spec) => spec.team))]);
  await room.look(tx, [...teams.values()].map(({ id }) => id)); // once, before any of these takes a place that no count sees yet
  const refusals = new Map<number, Problem>();
  const accepted: NewJob[] = [];
  for (const [index, submission] of submissions.entries()) {
    const spec = specs[index] as FullJobSpec;
    const team = teams.get(spec.team);
    const refusal = refusalOf(spec, team, submission.access, launchBytesMax) ?? await refusalOfSecrets(tx, spec, (team as Team).id) ?? room.take((team as Team).id);
    if (refusal) refusals.set(index, refusal);
    else accepted.push(newJob(spec, team as Team, submission));
  }
  const jobs = await insertJobs(tx, accepted);
  await appendEvent(tx, ...jobs.map((job) => jobEvent('job.submitted', job))); // after the insert: event ids follow each job's own order
  for (const job of jobs) noteMove(tx, job, 'submitted', job.state);
  const inserted = jobs.values();
  return specs.map((spec, index) => refusals.get(index) ?? { job: inserted.next().value as JobRow, team: spec.team });
}

function refusalOf(spec: FullJobSpec, team: Team | undefined, access: Access, launchBytesMax: number): Problem | undefined {
  if (!team || !access.see.includes(team.id)) {
    return problem('invalid_request', { team: spec.team }, [
      { pointer: '/team', detail: `team ${spec.team} does not exist; GET /v1/teams lists the teams, POST /v1/teams makes one` }]);
  }
  if (!access.act.includes(team.id)) return problem('forbidden', { team: spec.team });
  const bytes = Buffer.byteLength(JSON.stringify({ argv: spec.argv, env: spec.env }));
  if (bytes <= launchBytesMax) return undefined;
  return problem('invalid_request', { bytes, limit: launchBytesMax }, [
    { pointer: '/env', detail: `argv and env have ${bytes} bytes together, at most ${launchBytesMax} are taken; put large values into a file that the program reads` }]);
}

function newJob(spec: FullJobSpec, team: Team, { requestId, traceParent, retryOf }: Submission): NewJob {
  return {
    id: newId('job'), teamId: team.id, spec, priority: priorityOf[spec.priorityClass], queueDeadlineSeconds: spec.queueDeadlineSeconds ?? null,
    retryOf: retryOf ?? null, requestId, traceParent,
  };
}
