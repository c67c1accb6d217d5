/** SQL of nodes as operators see and steer them; heartbeats stand in store.ts. */
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db.ts';
import type { Decided } from '../jobs/model.ts';
import type { NodeRow } from './store.ts';

export interface NodeDevice {
  readonly index: number;
  readonly model: string;
  readonly uuid: string;
  readonly memoryBytes: bigint;
  readonly health: string;
  /** thousandths that allocations take, fenced ones too */
  readonly usedMilli: number;
}

export interface NodeMember {
  readonly job: string;
  readonly epoch: bigint;
  readonly rank: number;
  readonly devices: readonly number[];
  readonly state: 'ordered' | 'accepted' | 'ready' | 'stopping';
}

/** A node with its leases' age by the database's clock. */
export type NodeFactsRow = NodeRow & { readonly heard_ago_ms: number | null; readonly lease_left_ms: number | null };

const ages = [
  sql<number | null>`(extract(epoch from clock_timestamp() - last_beat_at) * 1000)::float8`.as('heard_ago_ms'),
  sql<number | null>`(extract(epoch from lease_until - clock_timestamp()) * 1000)::float8`.as('lease_left_ms'),
] as const;

export async function readNodes(db: Db | Tx, after: string | undefined, limit: number): Promise<NodeFactsRow[]> {
  let query = db.selectFrom('node').selectAll().select(ages);
  if (after !== undefined) query = query.where('id', '>', after);
  return query.orderBy('id').limit(limit).execute();
}

export async function readNode(db: Db | Tx, node: string): Promise<NodeFactsRow | undefined> {
  return db.selectFrom('node').selectAll().select(ages).where('id', '=', node).executeTakeFirst();
}

export async function lockNode(tx: Tx, node: string): Promise<NodeRow | undefined> {
  return tx.selectFrom('node').selectAll().where('id', '=', node).forUpdate().executeTakeFirst();
}

export async function devicesOf(db: Db | Tx, nodes: readonly string[]): Promise<Map<string, NodeDevice[]>> {
  const rows = nodes.length === 0 ? [] : await db.selectFrom('device').selectAll().where('node_id', 'in', [...nodes]).orderBy('idx').execute();
  return grouped(rows, (row) => ({ index: row.idx, model: row.model, uuid: row.uuid, memoryBytes: row.memory_bytes, health: row.health, usedMilli: row.used_milli }));
}

export async function membersOn(db: Db | Tx, nodes: readonly string[]): Promise<Map<string, NodeMember[]>> {
  const rows = nodes.length === 0 ? [] : await db.selectFrom('member').selectAll()
    .where('node_id', 'in', [...nodes]).where('gone_at', 'is', null).orderBy('job_id').orderBy('epoch').orderBy('rank').execute();
  return grouped(rows, (row) => ({
    job: row.job_id, epoch: row.epoch, rank: row.rank, devices: row.devices,
    state: row.desired === 'stop' ? 'stopping' : row.ready_at ? 'ready' : row.accepted_at ? 'accepted' : 'ordered',
  }));
}

function grouped<Row extends { node_id: string }, Item>(rows: readonly Row[], shape: (row: Row) => Item): Map<string, Item[]> {
  return new Map(Object.entries(Object.groupBy(rows, (row) => row.node_id)).map(([node, own]) => [node, (own ?? []).map(shape)]));
}

/** @returns the new version, or undefined where nothing had to change */
export async function setCordon(tx: Tx, node: string, reason: string): Promise<bigint | undefined> {
  const row = await tx.updateTable('node').set({ cordoned_by_operator: true, cordon_reason: reason, ...touched })
    .where('id', '=', node).where((row) => row.or([row('cordoned_by_operator', '=', false), row('cordon_reason', 'is distinct from', reason)]))
    .returning('version').executeTakeFirst();
  return row?.version;
}

/** Lifts the operator's cordon only. @returns the new version, or undefined where there was none */
export async function clearCordon(tx: Tx, node: string): Promise<bigint | undefined> {
  const row = await tx.updateTable('node')
    .set({ cordoned_by_operator: false, cordon_reason: sql<string | null>`case when cordoned_by_fence then cordon_reason end`, ...touched })
    .where('id', '=', node).where('cordoned_by_operator', '=', true).returning('version').executeTakeFirst();
  return row?.version;
}

/** Placed jobs with a member on the node that is not gone, as their rows are now: what a decision to vacate them names. */
export async function drainableJobs(db: Db | Tx, node: string): Promise<Decided[]> {
  const { rows } = await sql<{ id: string; epoch: bigint; version: bigint; incarnation: number }>`
    select j.id, j.epoch, j.version, c.incarnation from job j, cluster c
    where j.state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST')
      and exists (select from member m where m.node_id = ${node} and m.job_id = j.id and m.epoch = j.epoch and m.gone_at is null)
    order by j.id`.execute(db);
  return rows.map((row) => ({ jobId: row.id, epoch: row.epoch.toString(), version: row.version.toString(), incarnation: row.incarnation }));
}

export async function runningDrains(db: Db): Promise<string[]> {
  const { rows } = await sql<{ node: string }>`select substr(target, 6) as node from operation where kind = 'node.drain' and state = 'RUNNING' order by target`.execute(db);
  return rows.map((row) => row.node);
}

export async function setDead(tx: Tx, node: string): Promise<bigint> {
  const row = await tx.updateTable('node').set({ state: 'DEAD', ...touched }).where('id', '=', node).returning('version').executeTakeFirstOrThrow();
  return row.version;
}

const touched = { version: sql<bigint>`version + 1`, changed_at: sql<Date>`clock_timestamp()` };

export interface BootMember { readonly job: string; readonly epoch: bigint; readonly rank: number }

/** Members that are not gone and whose order went to this boot, accepted or not (P10). */
export async function membersOfBoot(tx: Tx, node: string, bootId: string): Promise<BootMember[]> {
  const rows = await tx.selectFrom('member').select(['job_id', 'epoch', 'rank']).where('node_id', '=', node).where('gone_at', 'is', null)
    .where((row) => row.or([row('ordered_boot_id', '=', bootId), row('boot_id', '=', bootId)])).orderBy('job_id').orderBy('epoch').orderBy('rank').execute();
  return rows.map((row) => ({ job: row.job_id, epoch: row.epoch, rank: row.rank }));
}

export async function isOverBoot(tx: Tx, node: string, bootId: string): Promise<boolean> {
  const row = await tx.selectFrom('node_boot').select('boot_id').where('node_id', '=', node).where('boot_id', '=', bootId).executeTakeFirst();
  return row !== undefined;
}
