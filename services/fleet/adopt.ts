/**
 * The first beat of a node that a restore is told by (P36): its exits first, then what its agent no longer has (P37),
 * then what the rows don't know (P38). All of it in the beat's own transaction, so that the node takes no work before.
 */
import { sql } from 'kysely';
import { isForgotten, quarantine } from '../jobs/adopt.ts';
import { lockJobs } from '../jobs/lock.ts';
import { observeMembers, type Seen } from '../jobs/observe.ts';
import type { JobRow, MemberRow } from '../jobs/store.ts';
import type { VacateConfig } from '../jobs/vacate.ts';
import type { Tx } from '../platform/db.ts';
import { lockForNews } from '../scheduler/allocations.ts';
import type { Beat, MemberObservation } from './model.ts';
import type { Speaker } from './store.ts';

/** A beat of an agent that has not heard of this life yet must not adopt: it may have been sent before the restore. */
export const isAdoptionDue = (speaker: Speaker): boolean => speaker.adopted_incarnation < speaker.incarnation;

const keyText = ({ job, epoch }: Pick<Seen, 'job' | 'epoch'>): string => `${job} ${epoch}`;

/**
 * @param known  live rows of the node
 * @returns the locked jobs, as they are now
 */
export async function adoptNode(tx: Tx, speaker: Speaker, beat: Beat, known: readonly MemberRow[], config: VacateConfig): Promise<Map<string, JobRow>> {
  const jobs = await lockJobs(tx, await jobsToLock(tx, beat, known));
  await lockForNews(tx, [...jobs.keys()], beat.node, true);
  await tellAll(tx, jobs, beat.bootId, known.map((row) => seenOf(row, beat)), config);
  // Only while frozen: afterwards the job may already run elsewhere, and what is unknown is a stray (P11).
  if (speaker.frozen_at !== null) await takeIn(tx, speaker, beat, known, jobs, config);
  await sql`update node set adoption_due = false, version = version + 1, changed_at = clock_timestamp() where id = ${beat.node} and adoption_due`.execute(tx);
  return jobs;
}

async function jobsToLock(tx: Tx, beat: Beat, known: readonly MemberRow[]): Promise<string[]> {
  const held = await tx.selectFrom('allocation').select('job_id').distinct().where('node_id', '=', beat.node).execute();
  return [...new Set([...beat.members.map((member) => member.job), ...known.map((row) => row.job_id), ...held.map((row) => row.job_id)])];
}

function seenOf(row: MemberRow, { members, bootId }: Beat): Seen {
  const key = { job: row.job_id, epoch: row.epoch.toString(), rank: row.rank };
  const told = members.find((member) => member.job === key.job && member.epoch === key.epoch && member.rank === key.rank);
  const isOfOlderBoot = row.ordered_boot_id !== null && row.ordered_boot_id !== bootId;
  if (told && (!isOfOlderBoot || told.state === 'exited')) return told;
  return { ...key, state: 'proof', detail: 'its agent no longer knows it: it ended after the backup that was restored' }; // P37
}

async function tellAll(tx: Tx, jobs: Map<string, JobRow>, bootId: string, seen: readonly Seen[], config: VacateConfig): Promise<void> {
  for (const own of Map.groupBy(seen, keyText).values()) {
    const first = own[0] as Seen;
    const job = jobs.get(first.job);
    if (job) jobs.set(job.id, await observeMembers(tx, job, BigInt(first.epoch), bootId, own, config));
  }
}

/** P38. What can't be accounted for, since its job or its devices are unknown, stays a stray: its node takes no work until it is gone. */
async function takeIn(tx: Tx, speaker: Speaker, beat: Beat, known: readonly MemberRow[], jobs: Map<string, JobRow>, config: VacateConfig): Promise<void> {
  const rows = new Set(known.map((row) => `${row.job_id} ${row.epoch} ${row.rank}`));
  const unknown = beat.members.filter((member) => !rows.has(`${keyText(member)} ${member.rank}`) && !isMute(member));
  for (const gang of Map.groupBy(unknown, keyText).values()) {
    const taken: MemberObservation[] = [];
    for (const [localRank, seen] of gang.toSorted((a, b) => a.rank - b.rank).entries()) {
      const job = jobs.get(seen.job);
      if (!job || !isForgotten(job, seen, speaker.incarnation)) continue;
      if (await quarantine(tx, job, { node: beat.node, bootId: beat.bootId, localRank, seen }, jobs, config)) taken.push(seen);
    }
    await tellAll(tx, jobs, beat.bootId, taken, config);
  }
}

/** Tombstones and refusals say that nothing runs: there is nothing to take in. */
const isMute = ({ state }: MemberObservation): boolean => state === 'gone' || state === 'refused';
