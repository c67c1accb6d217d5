/**
 * What agents saw of members, written with compare-and-set and counted on the attempt in the same transaction; the
 * observation that completes a counter moves the job, so there is one event a gang, never one a member (design.md §3.3).
 */
import { sql } from 'kysely';
import { markCheckpointBad } from '../checkpoints/mark-bad.ts';
import { appendEvent } from '../events/append.ts';
import type { MemberKey, MemberObservation } from '../fleet/model.ts';
import { nudgeNodes } from '../fleet/nudge.ts';
import type { Tx } from '../platform/db.ts';
import { freeAllocations, liftFenceCordons } from '../scheduler/allocations.ts';
import { isActive, isPlaced, stateFromCounters } from './model.ts';
import { jobEvent, moveJob } from './move.ts';
import { countersOf, lockAttempt, updateAttempt, type AttemptRow, type JobRow, type MemberRow } from './store.ts';
import { startVacating, type VacateConfig } from './vacate.ts';

/** `proof`: the member's boot, node or machine is known to be over. */
export type Seen = MemberObservation | (MemberKey & { readonly state: 'proof'; readonly detail: string });

const alive: ReadonlySet<Seen['state']> = new Set(['accepted', 'ready']);

/** Whether `seen` tells anything that the row doesn't know; a quiet beat writes nothing. */
export function isNews(member: MemberRow, seen: Seen): boolean {
  if (member.gone_at !== null) return false;
  if (!alive.has(seen.state)) return true;
  if (member.accepted_at === null || (seen.state === 'ready' && member.ready_at === null)) return true;
  return 'progress' in seen && seen.progress !== undefined && BigInt(seen.progress.step) !== member.progress_step;
}

interface Tally { accepted: number; ready: number; gone: number; succeeded: number; userFailed: number; refused: number }

/**
 * Applies what was seen of members of one epoch of one job. The caller holds the job's lock, taken before any member's
 * or node's (P32), and has dropped stale beats. Members that are gone already, unknown epochs and repeats change nothing.
 *
 * @param job     the locked row, of whatever epoch it now is
 * @param bootId  of the node that speaks
 * @returns the job as it is afterwards
 */
export async function observeMembers(
  tx: Tx, job: JobRow, epoch: bigint, bootId: string | null, seenOf: readonly Seen[], config: VacateConfig,
): Promise<JobRow> {
  const attempt = await lockAttempt(tx, job.id, epoch);
  if (!attempt) return job;
  const rows = await tx.selectFrom('member').selectAll().where('job_id', '=', job.id).where('epoch', '=', epoch)
    .where('rank', 'in', seenOf.map((seen) => seen.rank)).orderBy('rank').forUpdate().execute();
  const byRank = new Map(rows.map((row) => [row.rank, row]));
  const tally: Tally = { accepted: 0, ready: 0, gone: 0, succeeded: 0, userFailed: 0, refused: 0 };
  const goneRanks: number[] = [];
  let proven: string | undefined;
  for (const seen of seenOf) {
    const member = byRank.get(seen.rank);
    if (!member || !isNews(member, seen)) continue;
    await writeMember(tx, member, seen, bootId);
    count(tally, member, seen);
    if (!alive.has(seen.state)) goneRanks.push(member.rank);
    if (seen.state === 'proof' && member.desired === 'run') proven = seen.detail;
    if (seen.state === 'refused' && seen.checkpoint && seen.code === 'checkpoint_unreadable') {
      await markCheckpointBad(tx, { jobId: job.id, checkpointId: seen.checkpoint, node: member.node_id, reason: seen.detail });
    }
    await noteMaster(tx, attempt, seen);
  }
  const counted = await addTally(tx, attempt, tally);
  if (goneRanks.length > 0 && (await hasFencedRows(tx, job.id, epoch, goneRanks))) await freeFenced(tx, job.id, epoch, goneRanks, rows);
  if (job.epoch !== epoch) return job;
  return follow(tx, job, attempt, counted, proven, config);
}

async function writeMember(tx: Tx, member: MemberRow, seen: Seen, bootId: string | null): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  const exited = seen.state === 'exited';
  const accepted = alive.has(seen.state) || exited;
  const ready = seen.state === 'ready' || (exited && seen.exitCode === 0); // P9
  const progress = 'progress' in seen ? seen.progress : undefined;
  await tx.updateTable('member')
    .set({
      ...(accepted && member.accepted_at === null ? { accepted_at: now, boot_id: bootId } : {}),
      ...(ready && member.ready_at === null ? { ready_at: now } : {}),
      ...(alive.has(seen.state) ? {} : { gone_at: now, gone_kind: seen.state }),
      ...(exited ? { exit_code: seen.exitCode, exit_signal: seen.signal } : {}),
      ...(seen.state === 'refused' ? { refusal_code: seen.code, detail: seen.detail } : {}),
      ...(seen.state === 'proof' ? { detail: seen.detail } : {}),
      ...('pid' in seen ? { pid: seen.pid } : {}),
      ...(progress ? { progress_step: BigInt(progress.step), progress_total: progress.totalSteps === undefined ? null : BigInt(progress.totalSteps), progress_message: progress.message ?? null } : {}),
    })
    .where('job_id', '=', member.job_id).where('epoch', '=', member.epoch).where('rank', '=', member.rank)
    .execute();
}

/** Only exits before a stop was ordered count against anybody's budget (design.md §4). */
function count(tally: Tally, member: MemberRow, seen: Seen): void {
  const exited = seen.state === 'exited';
  if ((alive.has(seen.state) || exited) && member.accepted_at === null) tally.accepted++;
  if ((seen.state === 'ready' || (exited && seen.exitCode === 0)) && member.ready_at === null) tally.ready++;
  if (alive.has(seen.state)) return;
  tally.gone++;
  if (exited && seen.exitCode === 0) tally.succeeded++;
  else if (exited && member.desired === 'run') tally.userFailed++;
  else if (seen.state === 'refused' && member.desired === 'run') tally.refused++;
}

/** Rank 0's acceptance carries address and port for the others, whose start orders waited for it. */
async function noteMaster(tx: Tx, attempt: AttemptRow, seen: Seen): Promise<void> {
  if (seen.rank !== 0 || attempt.master_port !== null || !('port' in seen) || seen.port === undefined || seen.address === undefined) return;
  await updateAttempt(tx, attempt, { master_address: seen.address, master_port: seen.port });
  const waiting = await tx.selectFrom('member').select('node_id').where('job_id', '=', attempt.job_id).where('epoch', '=', attempt.epoch).where('rank', '!=', 0).execute();
  nudgeNodes(tx, waiting.map((member) => member.node_id));
}

async function addTally(tx: Tx, attempt: AttemptRow, tally: Tally): Promise<AttemptRow> {
  const counted: AttemptRow = {
    ...attempt,
    accepted: attempt.accepted + tally.accepted,
    ready: attempt.ready + tally.ready,
    gone: attempt.gone + tally.gone,
    succeeded: attempt.succeeded + tally.succeeded,
    user_failed: attempt.user_failed + tally.userFailed,
    refused: attempt.refused + tally.refused,
  };
  if (!Object.values(tally).some((value) => value > 0)) return attempt;
  const { accepted, ready, gone, succeeded, user_failed, refused } = counted;
  await updateAttempt(tx, attempt, { accepted, ready, gone, succeeded, user_failed, refused });
  return counted;
}

async function hasFencedRows(tx: Tx, jobId: string, epoch: bigint, ranks: readonly number[]): Promise<boolean> {
  const row = await tx.selectFrom('allocation').select('rank').where('job_id', '=', jobId).where('epoch', '=', epoch)
    .where('rank', 'in', [...ranks]).where('state', '=', 'fenced').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** P30: late news of an ended epoch frees its fenced rows, or hands them to an open ticket; it changes no state. */
async function freeFenced(tx: Tx, jobId: string, epoch: bigint, ranks: readonly number[], rows: readonly MemberRow[]): Promise<void> {
  await freeAllocations(tx, { jobId, epoch, ranks });
  await liftFenceCordons(tx, [...new Set(rows.filter((row) => ranks.includes(row.rank)).map((row) => row.node_id))].sort());
}

/** What the counters mean for the job's state. */
async function follow(tx: Tx, job: JobRow, before: AttemptRow, counted: AttemptRow, proven: string | undefined, config: VacateConfig): Promise<JobRow> {
  let now = job;
  if (now.state === 'RESERVED' && stateFromCounters(countersOf(counted)) !== 'RESERVED') {
    now = await moveJob(tx, now, 'allAccepted', 'STARTING');
    await updateAttempt(tx, counted, { starting_at: sql<Date>`clock_timestamp()` });
  }
  if (now.state === 'STARTING' && stateFromCounters(countersOf(counted)) === 'RUNNING') {
    now = await moveJob(tx, now, 'allReady', 'RUNNING', { detail: null });
    await updateAttempt(tx, counted, { running_at: sql<Date>`clock_timestamp()` });
  }
  if (proven !== undefined && isPlaced(now.state)) return startVacating(tx, now, 'deathProven', 'lost', proven, config);
  if (needsAttention(now, before, counted)) await appendEvent(tx, jobEvent('job.attention', now));
  return now;
}

/** Counters that decide something have changed without a move: the workflow must look. */
function needsAttention(job: JobRow, before: AttemptRow, counted: AttemptRow): boolean {
  if (!isActive(job.state) || counted.gone === before.gone) return false;
  const failedBefore = before.gone - before.succeeded;
  const failed = counted.gone - counted.succeeded;
  if (isPlaced(job.state)) return (failedBefore === 0 && failed > 0) || counted.succeeded === counted.members;
  return counted.gone === counted.members;
}
