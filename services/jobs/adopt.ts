/**
 * What a node's agent reports after a restore that the rows don't know (P38). Its members get rows, in quarantine: they
 * block their devices and belong to nobody until the thaw says what becomes of their gang.
 */
import { sql } from 'kysely';
import type { MemberObservation } from '../fleet/model.ts';
import type { Tx } from '../platform/db.ts';
import { freeAllocations } from '../scheduler/allocations.ts';
import { freeDevices, holdInQuarantine, rowsOfGoneMembers } from '../scheduler/adoption.ts';
import { isPlaced } from './model.ts';
import type { JobRow } from './store.ts';
import { startVacating, type VacateConfig } from './vacate.ts';

export interface Orphan {
  readonly node: string;
  readonly bootId: string;
  readonly localRank: number;
  readonly seen: MemberObservation;
}

/** Of a life before this one, and newer than what the row knows: only these may be a gang that the restore forgot. */
export function isForgotten(job: JobRow, seen: MemberObservation, incarnation: number): boolean {
  const epoch = BigInt(seen.epoch);
  return epoch > job.epoch && epoch < BigInt(incarnation) << 32n && seen.rank < job.members;
}

/**
 * Gives one orphan its rows. The caller holds the locks of the job, of every job with a row on the node, and of the
 * node. Rows of members that are gone make room; their gang has lost its devices, so it is vacated.
 *
 * @param jobs  locked; those that were vacated are replaced
 * @returns false: its devices are not there or are taken, so it can't be accounted for
 */
export async function quarantine(tx: Tx, job: JobRow, orphan: Orphan, jobs: Map<string, JobRow>, config: VacateConfig): Promise<boolean> {
  const { node, seen } = orphan;
  const devices = 'devices' in seen ? seen.devices : [];
  if ('devices' in seen) {
    for (const row of await rowsOfGoneMembers(tx, node, devices)) await makeRoom(tx, row, jobs, config);
    if (!await freeDevices(tx, node, devices)) return false;
  }
  const attempt = await tx.insertInto('attempt').values({ job_id: job.id, epoch: BigInt(seen.epoch), members: job.members, quarantined_at: sql<Date>`clock_timestamp()` })
    .onConflict((conflict) => conflict.columns(['job_id', 'epoch']).doUpdateSet({ quarantined_at: sql<Date>`attempt.quarantined_at` }))
    .returning('quarantined_at').executeTakeFirstOrThrow();
  if (attempt.quarantined_at === null) return false;
  const added = await tx.insertInto('member').values({
    job_id: job.id, epoch: BigInt(seen.epoch), rank: seen.rank, node_id: node, local_rank: orphan.localRank, devices: [...devices], ordered_boot_id: orphan.bootId,
  }).onConflict((conflict) => conflict.doNothing()).returning('rank').executeTakeFirst();
  if (!added) return false;
  if ('devices' in seen) await holdInQuarantine(tx, { jobId: job.id, epoch: BigInt(seen.epoch), rank: seen.rank, nodeId: node, devices, cpuMilli: job.spec.cpuMilli, memoryBytes: BigInt(job.spec.memoryBytes) });
  return true;
}

interface GoneRow { readonly jobId: string; readonly epoch: bigint; readonly rank: number }

async function makeRoom(tx: Tx, row: GoneRow, jobs: Map<string, JobRow>, config: VacateConfig): Promise<void> {
  const job = jobs.get(row.jobId);
  if (!job) throw new Error(`${row.jobId} has a row on a node that is adopted and was not locked`);
  if (job.epoch === row.epoch && isPlaced(job.state)) {
    jobs.set(job.id, await startVacating(tx, job, 'deathProven', 'lost', 'another gang runs on its devices: it had ended before the restore', config));
  }
  await freeAllocations(tx, { jobId: row.jobId, epoch: row.epoch, ranks: [row.rank] });
}
