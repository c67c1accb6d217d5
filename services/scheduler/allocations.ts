/**
 * Giving devices, cpu and memory back (design.md §3.3). One statement: rows that an open ticket names move to the
 * ticket, the others go, and what they used is taken off their device and node.
 */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { nodeKey } from '../events/model.ts';
import type { Tx } from '../platform/db.ts';

/** Which allocation rows: of the members of one epoch, or of a ticket. */
export type AllocationRows =
  | { readonly jobId: string; readonly epoch: bigint; readonly ranks: readonly number[] }
  | { readonly ticketId: string };

/**
 * Frees rows whose processes are known gone (law 4); the caller has that proof, and holds the locks of the tickets that
 * may take them (lockTicketsOf). Locks the nodes in the order of their ids, and devices only below their node's lock, so
 * the global lock order holds.
 */
export async function freeAllocations(tx: Tx, rows: AllocationRows): Promise<void> {
  const isTicket = 'ticketId' in rows;
  const chosen = isTicket
    ? sql`a.held_by = 'ticket' and a.ticket_id = ${rows.ticketId}`
    : sql`a.held_by = 'job' and a.job_id = ${rows.jobId} and a.epoch = ${rows.epoch} and a.rank = any(${[...rows.ranks]}::int[])`;
  await lockNodesOf(tx, chosen);
  const named = isTicket
    ? sql`select null::text as ticket_id, ''::text as job_id, 0::bigint as epoch, 0 as rank where false`
    : sql`select r.ticket_id, r.job_id, r.epoch, r.rank from ticket_row r join ticket t on t.id = r.ticket_id and t.state = 'OPEN'
          where r.job_id = ${rows.jobId} and r.epoch = ${rows.epoch}`;
  const changed = await sql<{ id: string; version: bigint }>`
    with named as (${named}),
    moved as (
      update allocation a set held_by = 'ticket', ticket_id = n.ticket_id, state = 'held'
      from named n
      where ${chosen} and n.job_id = a.job_id and n.epoch = a.epoch and n.rank = a.rank
      returning a.node_id),
    freed as (
      delete from allocation a
      where ${chosen} and not exists (select from named n where n.job_id = a.job_id and n.epoch = a.epoch and n.rank = a.rank)
      returning a.node_id, a.device_idx, a.milli, a.cpu_milli, a.memory_bytes),
    devices as (
      update device d set used_milli = d.used_milli - f.milli
      from (select node_id, device_idx, sum(milli)::int as milli from freed where device_idx >= 0 group by 1, 2) f
      where d.node_id = f.node_id and d.idx = f.device_idx
      returning 1)
    update node n
    set cpu_used_milli = n.cpu_used_milli - f.cpu_milli, memory_used_bytes = n.memory_used_bytes - f.memory_bytes,
        version = n.version + 1, changed_at = clock_timestamp()
    from (select node_id, sum(cpu_milli)::int as cpu_milli, sum(memory_bytes)::bigint as memory_bytes
          from (select node_id, cpu_milli, memory_bytes from freed union all select node_id, 0, 0 from moved) x group by 1) f
    where n.id = f.node_id
    returning n.id, n.version`.execute(tx);
  await appendEvent(tx, ...changed.rows.map((node) => nodeChanged(node.id, node.version)));
}

/**
 * Fences the rows of members that can't be proven gone: they keep blocking their devices, and their nodes take no new
 * work (P19). Nothing is freed.
 */
export async function fenceAllocations(tx: Tx, jobId: string, epoch: bigint, ranks: readonly number[]): Promise<string[]> {
  const chosen = sql`a.held_by = 'job' and a.job_id = ${jobId} and a.epoch = ${epoch} and a.rank = any(${[...ranks]}::int[])`;
  await lockNodesOf(tx, chosen);
  const changed = await sql<{ id: string; version: bigint }>`
    with fenced as (update allocation a set state = 'fenced' where ${chosen} returning a.node_id)
    update node n
    set cordoned_by_fence = true, cordon_reason = coalesce(n.cordon_reason, ${`a process of ${jobId} may still run here`}),
        version = n.version + 1, changed_at = clock_timestamp()
    where n.id in (select node_id from fenced)
    returning n.id, n.version`.execute(tx);
  await appendEvent(tx, ...changed.rows.map((node) => nodeChanged(node.id, node.version)));
  return changed.rows.map((node) => node.id);
}

/** The last proof on a heard node lifts a cordon that a fence set (P19). */
export async function liftFenceCordons(tx: Tx, nodeIds: readonly string[]): Promise<void> {
  if (nodeIds.length === 0) return;
  const changed = await sql<{ id: string; version: bigint }>`
    update node n
    set cordoned_by_fence = false, cordon_reason = case when n.cordoned_by_operator then n.cordon_reason end,
        version = n.version + 1, changed_at = clock_timestamp()
    where n.id = any(${[...nodeIds]}::text[]) and n.cordoned_by_fence and n.state = 'LIVE'
      and not exists (select from allocation a where a.node_id = n.id and a.state = 'fenced')
    returning n.id, n.version`.execute(tx);
  await appendEvent(tx, ...changed.rows.map((node) => nodeChanged(node.id, node.version)));
}

/**
 * Locks the open tickets that rows of these jobs may go to, or that end with one of them, before any node: otherwise a
 * ticket could end between the look at it and the move of a row, and keep that row for ever (P21).
 *
 * @returns their ids
 */
export async function lockTicketsOf(tx: Tx, jobIds: readonly string[]): Promise<string[]> {
  const jobs = sql`any(${[...jobIds]}::text[])`;
  const { rows } = await sql<{ id: string }>`
    select id from ticket t
    where t.state = 'OPEN' and (t.beneficiary_job_id = ${jobs} or t.id in (select r.ticket_id from ticket_row r where r.job_id = ${jobs}))
    order by id for no key update`.execute(tx);
  return rows.map((row) => row.id);
}

/** Locks everything that the end of a job's epoch may touch beyond the job: its tickets, then the nodes of all rows concerned. */
export async function lockForRelease(tx: Tx, jobId: string): Promise<void> {
  const tickets = await lockTicketsOf(tx, [jobId]);
  await lockNodesOf(tx, sql`(a.held_by = 'job' and a.job_id = ${jobId}) or a.ticket_id = any(${tickets}::text[])`);
}

/**
 * Locks what news of members that are gone may touch beyond their jobs. A transaction that handles several jobs needs
 * all of it before the first one: each of them alone would lock in order, two of them would not.
 *
 * @param gangs  the gangs may have to be stopped, so the nodes of their other members are locked too
 */
export async function lockForNews(tx: Tx, jobIds: readonly string[], nodeId: string, gangs: boolean): Promise<void> {
  await lockTicketsOf(tx, jobIds);
  const others = gangs
    ? sql`select m.node_id from member m join job j on j.id = m.job_id and j.epoch = m.epoch where m.gone_at is null and j.id = any(${[...jobIds]}::text[])`
    : sql`select null`;
  await sql`select id from node where id = ${nodeId} or id in (${others}) order by id for no key update`.execute(tx);
}

async function lockNodesOf(tx: Tx, chosen: ReturnType<typeof sql>): Promise<void> {
  await sql`select id from node where id in (select a.node_id from allocation a where ${chosen}) order by id for no key update`.execute(tx);
}

export const nodeChanged = (nodeId: string, version: bigint) =>
  ({ kind: 'node.changed', key: nodeKey(nodeId), version, payload: { node: nodeId } }) as const;
