/** The end of a vacated or cancelled epoch, once its processes are gone or count as unreachable (design.md §4). */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import { deadlinesOf, type DeadlineConfig } from './deadlines.ts';
import { lockDecided, superseded } from './decided.ts';
import { vacatedEnd, type Decided, type Outcome, type VacatedEnd } from './model.ts';
import { moveJob, type JobChange } from './move.ts';
import { releaseEpoch } from './release.ts';
import { countersOf, fromNow, lockAttempt, membersOf, type AttemptRow, type JobRow, type MemberRow } from './store.ts';

/** Nodes that a job stays off after a failure there; the oldest is forgotten first (scheduler.md: ≤ 3). */
const avoidedNodesMax = 3;

export async function endJob(tx: Tx, decided: Decided, config: DeadlineConfig): Promise<Outcome> {
  const { job, current } = await lockDecided(tx, decided);
  if (!current || (job.state !== 'VACATING' && job.state !== 'CANCELLING')) {
    return job.epoch.toString() === decided.epoch && job.state !== 'VACATING' && job.state !== 'CANCELLING' ? { kind: 'already' } : superseded(job);
  }
  const attempt = await lockAttempt(tx, job.id, job.epoch);
  const { endDue } = await deadlinesOf(tx, job.id, config);
  if (!attempt || !endDue) return superseded(job);
  if (job.state === 'CANCELLING') {
    const ended = await moveJob(tx, job, 'cancelFinished', 'CANCELLED', { vacate_reason: null });
    await releaseEpoch(tx, ended, job.epoch, 'cancelled');
    return { kind: 'applied' };
  }
  await endVacated(tx, job, attempt);
  return { kind: 'applied' };
}

async function endVacated(tx: Tx, job: JobRow, attempt: AttemptRow): Promise<void> {
  const reason = job.vacate_reason ?? 'lost';
  const byRule = vacatedEnd(reason, countersOf(attempt), {
    userFailures: job.user_failures,
    infrastructureFailures: job.infrastructure_failures,
    userFailuresMax: job.spec.retry.userFailures,
    infrastructureFailuresMax: job.spec.retry.infrastructureFailures,
    backoffSeconds: job.spec.retry.backoffSeconds,
    backoffMaxSeconds: job.spec.retry.backoffMaxSeconds,
  });
  // A restart would have to begin at step 0, though commits exist: the job stops instead.
  const end: VacatedEnd = byRule.event === 'vacatedRequeued' && (await hasOnlyUnreadable(tx, job.id))
    ? { event: 'vacatedFailed', category: byRule.category } : byRule;
  const ended = await moveJob(tx, job, end.event, undefined, await changesOf(tx, job, end));
  await releaseEpoch(tx, ended, job.epoch, reason);
}

async function changesOf(tx: Tx, job: JobRow, end: VacatedEnd): Promise<JobChange> {
  if (end.event === 'vacatedSucceeded') return { vacate_reason: null, detail: null };
  const counted = {
    user_failures: job.user_failures + (end.category === 'user' ? 1 : 0),
    infrastructure_failures: job.infrastructure_failures + (end.category === 'infrastructure' ? 1 : 0),
  };
  if (end.event === 'vacatedFailed') return counted;
  return {
    ...counted,
    not_before: end.backoffSeconds > 0 ? fromNow(end.backoffSeconds * 1000) : null,
    avoid_nodes: end.category === 'infrastructure' ? await avoided(tx, job) : job.avoid_nodes,
    vacate_deadline_at: null,
    waiting_reason: null, waiting_detail: null, waiting_since: sql<Date>`clock_timestamp()`,
  };
}

/** The last checkpoint of the job was found unreadable, whatever else it is being vacated for. */
async function hasOnlyUnreadable(tx: Tx, jobId: string): Promise<boolean> {
  const pointer = await tx.selectFrom('checkpoint_pointer').select('checkpoint_id').where('job_id', '=', jobId).executeTakeFirst();
  return pointer !== undefined && pointer.checkpoint_id === null;
}

/** Nodes where a member was refused, vanished, never took its order or can't be reached come first; three are remembered. */
async function avoided(tx: Tx, job: JobRow): Promise<string[]> {
  const members = await membersOf(tx, job.id, job.epoch);
  const failedOn = members.filter((member) => isNodesFault(job, member)).map((member) => member.node_id);
  return [...new Set([...failedOn, ...job.avoid_nodes])].slice(0, avoidedNodesMax);
}

function isNodesFault(job: JobRow, member: MemberRow): boolean {
  if (member.gone_at === null || member.gone_kind === 'refused' || member.gone_kind === 'proof') return true;
  if (member.gone_kind === 'gone' && member.desired === 'run') return true; // vanished before anybody asked it to stop
  return job.vacate_reason === 'startTimeout' && member.accepted_at === null && member.ordered_boot_id !== null;
}
