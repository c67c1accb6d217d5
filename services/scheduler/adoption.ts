/** SQL of allocations that a restore did not know (P38). The caller holds the locks of the jobs and nodes concerned. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import { wholeDeviceMilli } from './model.ts';

/** Rows on these devices whose member is known gone, though its gang still holds them. */
export async function rowsOfGoneMembers(tx: Tx, nodeId: string, devices: readonly number[]): Promise<{ jobId: string; epoch: bigint; rank: number }[]> {
  const { rows } = await sql<{ job_id: string; epoch: bigint; rank: number }>`
    select distinct a.job_id, a.epoch, a.rank from allocation a join member m using (job_id, epoch, rank)
    where a.node_id = ${nodeId} and a.device_idx = any(${[...devices]}::smallint[]) and a.held_by = 'job' and m.gone_at is not null
    order by a.job_id, a.epoch, a.rank`.execute(tx);
  return rows.map((row) => ({ jobId: row.job_id, epoch: row.epoch, rank: row.rank }));
}

/** Whether the node has these devices and nobody holds any of them. */
export async function freeDevices(tx: Tx, nodeId: string, devices: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ free: number }>`
    select count(*)::int as free from device where node_id = ${nodeId} and idx = any(${[...devices]}::smallint[]) and used_milli = 0`.execute(tx);
  return rows[0]?.free === devices.length;
}

export interface Held {
  readonly jobId: string;
  readonly epoch: bigint;
  readonly rank: number;
  readonly nodeId: string;
  readonly devices: readonly number[];
  readonly cpuMilli: number;
  readonly memoryBytes: bigint;
}

export const holdInQuarantine = (tx: Tx, held: Held): Promise<void> => hold(tx, held, 'fenced');

/**
 * Takes whole devices, and the member's share of the host, for rows that were not placed by a plan.
 *
 * @throws a check violation, where a device is taken: nothing may be committed then
 */
async function hold(tx: Tx, { jobId, epoch, rank, nodeId, devices, cpuMilli, memoryBytes }: Held, state: 'fenced' | 'held'): Promise<void> {
  const taken = [...devices];
  await sql`
    insert into allocation (job_id, epoch, rank, device_idx, node_id, milli, cpu_milli, memory_bytes, state)
    select ${jobId}, ${epoch}::bigint, ${rank}::int, idx, ${nodeId}, ${wholeDeviceMilli}::int, 0, 0, ${state} from unnest(${taken}::smallint[]) idx
    union all select ${jobId}, ${epoch}::bigint, ${rank}::int, -1, ${nodeId}, 0, ${cpuMilli}::int, ${memoryBytes}::bigint, ${state}`.execute(tx);
  await sql`update device set used_milli = used_milli + ${wholeDeviceMilli} where node_id = ${nodeId} and idx = any(${taken}::smallint[])`.execute(tx);
  await sql`update node set cpu_used_milli = cpu_used_milli + ${cpuMilli}, memory_used_bytes = memory_used_bytes + ${memoryBytes}, version = version + 1, changed_at = clock_timestamp()
    where id = ${nodeId}`.execute(tx);
}

/** The quarantined rows of an epoch are its job's from now on. Members that exited meanwhile hold theirs again, until the end of the gang (law 2). */
export async function releaseFromQuarantine(tx: Tx, jobId: string, epoch: bigint, exited: readonly Held[]): Promise<void> {
  await sql`update allocation set state = 'held' where job_id = ${jobId} and epoch = ${epoch} and held_by = 'job'`.execute(tx);
  for (const member of exited) await hold(tx, member, 'held');
}

