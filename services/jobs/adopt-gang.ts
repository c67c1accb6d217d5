/** What becomes of a quarantined gang at the thaw (P38): taken over whole at its own epoch, or fenced and stopped. */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { releaseFromQuarantine, type Held } from '../scheduler/adoption.ts';
import { fenceAllocations, liftFenceCordons } from '../scheduler/allocations.ts';
import { endTicketsOf } from '../scheduler/tickets.ts';
import { lockJob } from './lock.ts';
import { moveOf, stateFromCounters } from './model.ts';
import { jobEvent, moveJob } from './move.ts';
import { releaseEpoch } from './release.ts';
import { countersOf, lockAttempt, membersOf, toJobRow, updateAttempt, type AttemptRow, type JobRow, type MemberRow } from './store.ts';
import { orderMembersToStop } from './vacate.ts';

export type GangFate = 'takenOver' | 'stopped';

/** Jobs whose supervision is told at the thaw itself; a sweep finds the others (P28). */
const toldMax = 5_000;
/** Gangs that one sweep settles at most; the next one goes on. */
const perSweepMax = 500;

/** Settles every quarantined gang, each in a transaction of its own; repeating it goes on where it was interrupted. @returns what became of them */
export async function settleQuarantined(db: Db, config: Pick<Config, 'lostGraceMs'>): Promise<Record<GangFate, number>> {
  const found = { takenOver: 0, stopped: 0 };
  const waiting = await db.selectFrom('attempt').select(['job_id', 'epoch']).where('quarantined_at', 'is not', null)
    .orderBy('job_id').orderBy('epoch', 'desc').limit(perSweepMax).execute();
  for (const { job_id, epoch } of waiting) {
    const fate = await inTransaction(db, (tx) => settleGang(tx, job_id, epoch, config));
    if (fate) found[fate] += 1;
  }
  return found;
}

async function settleGang(tx: Tx, jobId: string, epoch: bigint, config: Pick<Config, 'lostGraceMs'>): Promise<GangFate | undefined> {
  const job = await lockJob(tx, jobId);
  const attempt = await lockAttempt(tx, jobId, epoch);
  if (!job || !attempt || attempt.quarantined_at === null) return undefined;
  const members = await membersOf(tx, jobId, epoch);
  if (await mayTakeOver(tx, job, attempt, members)) {
    await takeOver(tx, job, attempt, members, config);
    return 'takenOver';
  }
  await stopGang(tx, job, attempt, members, config);
  return 'stopped';
}

/** Every rank is alive on a heard node or has exited 0, it is the newest epoch of its job, and the job may go that way: a cancelled one doesn't. */
async function mayTakeOver(tx: Tx, job: JobRow, attempt: AttemptRow, members: readonly MemberRow[]): Promise<boolean> {
  if (!moveOf(job.state, 'takenOver') || attempt.fenced || attempt.epoch <= job.epoch || members.length !== job.members) return false;
  if (!members.every((member) => member.gone_at === null || (member.gone_kind === 'exited' && member.exit_code === 0))) return false;
  const { rows } = await sql<{ newest: boolean; heard: boolean }>`
    select not exists (select from attempt where job_id = ${job.id} and epoch > ${attempt.epoch}) as newest,
      not exists (select from member m join node n on n.id = m.node_id where m.job_id = ${job.id} and m.epoch = ${attempt.epoch} and m.gone_at is null and n.state <> 'LIVE') as heard`.execute(tx);
  return rows[0]?.newest === true && rows[0].heard;
}

/** What the row still held is settled as at any end of an epoch; then the job goes on where the gang's counters stand (P15). */
async function takeOver(tx: Tx, job: JobRow, attempt: AttemptRow, members: readonly MemberRow[], { lostGraceMs }: Pick<Config, 'lostGraceMs'>): Promise<void> {
  const state = stateFromCounters(countersOf(attempt));
  const from = job.epoch;
  const moved = await moveJob(tx, job, 'takenOver', state, {
    epoch: attempt.epoch, vacate_reason: null, vacate_deadline_at: null, not_before: null, unsupervised_attempts: 0,
    waiting_reason: null, waiting_detail: null, waiting_since: null, detail: 'taken over as its nodes ran it after the restore',
  });
  const before = await lockAttempt(tx, job.id, from);
  if (before && before.ended_at === null) {
    await orderMembersToStop(tx, { id: job.id, epoch: from }, 'superseded', lostGraceMs);
    await releaseEpoch(tx, moved, from, 'a newer epoch was found running after a restore');
  }
  await endTicketsOf(tx, job.id, 'beneficiary placed');
  await releaseFromQuarantine(tx, job.id, attempt.epoch, exitedWithDevices(job, members));
  const now = sql<Date>`clock_timestamp()`;
  await updateAttempt(tx, attempt, { quarantined_at: null, ...(state === 'RESERVED' ? {} : { starting_at: now }), ...(state === 'RUNNING' ? { running_at: now } : {}) });
  await liftFenceCordons(tx, [...new Set(members.map((member) => member.node_id))].sort());
}

/** An exit that was reported without the process before it tells no devices: that member holds nothing. */
function exitedWithDevices(job: JobRow, members: readonly MemberRow[]): Held[] {
  return members.filter((member) => member.gone_at !== null && member.devices.length > 0).map((member) => ({
    jobId: job.id, epoch: member.epoch, rank: member.rank, nodeId: member.node_id, devices: member.devices, cpuMilli: job.spec.cpuMilli, memoryBytes: BigInt(job.spec.memoryBytes),
  }));
}

async function stopGang(tx: Tx, job: JobRow, attempt: AttemptRow, members: readonly MemberRow[], { lostGraceMs }: Pick<Config, 'lostGraceMs'>): Promise<void> {
  await updateAttempt(tx, attempt, { fenced: true, quarantined_at: null, ended_at: sql<Date>`clock_timestamp()`, end_state: job.state, end_reason: 'not whole after a restore' });
  const living = members.filter((member) => member.gone_at === null).map((member) => member.rank);
  if (living.length === 0) return;
  await orderMembersToStop(tx, { id: job.id, epoch: attempt.epoch }, 'superseded', lostGraceMs);
  await fenceAllocations(tx, job.id, attempt.epoch, living);
}

/** Starts or wakes the run of every job that is under way: Temporal may know another epoch of it, or none. */
export async function superviseActive(tx: Tx): Promise<void> {
  const rows = await tx.selectFrom('job').selectAll().where('state', 'in', ['RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING']).orderBy('id').limit(toldMax).execute();
  await appendEvent(tx, ...rows.map((row) => jobEvent('job.placed', toJobRow(row))));
}
