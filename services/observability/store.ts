/** SQL of the cluster's figures: counts and ages, by indexes that are there for other reasons. */
import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';

/** Unnumbered rows are counted to this: past it the number says nothing more. */
const unnumberedCountedMax = 100_000;

export interface QueueRow { readonly priority: number; readonly jobs: number; readonly oldestAgeMs: number }

/** An index-only scan of the waiting jobs: some 40 ms at 100,000. */
export async function queueRows(tx: Tx): Promise<QueueRow[]> {
  const { rows } = await sql<QueueRow>`
    select priority, count(*)::integer as jobs, greatest(0, extract(epoch from clock_timestamp() - min(submitted_at)) * 1000)::double precision as "oldestAgeMs"
    from job where state in ('SUBMITTED', 'QUEUED') group by priority`.execute(tx);
  return rows;
}

export async function activeRows(tx: Tx): Promise<{ readonly state: string; readonly jobs: number }[]> {
  const { rows } = await sql<{ state: string; jobs: number }>`
    select state, count(*)::integer as jobs from job
    where state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING') group by state`.execute(tx);
  return rows;
}

export interface OutboxRow { readonly unnumberedRows: number; readonly unrelayedRows: number; readonly lagMs: number }

/** @param reader  name of the relay's cursor */
export async function outboxRow(tx: Tx, reader: string): Promise<OutboxRow> {
  const { rows } = await sql<OutboxRow>`
    with relay as (select coalesce((select pos from event_cursor where reader = ${reader}), (select kept_from_pos - 1 from event_sequence), 0) as pos),
    oldest as (
      (select created_at from outbox where pos > (select pos from relay) order by pos limit 1)
      union all
      (select created_at from outbox where pos is null order by id limit 1)
    )
    select
      (select count(*) from (select 1 from outbox where pos is null limit ${unnumberedCountedMax}) u)::integer as "unnumberedRows",
      (select greatest(0, last_pos - (select pos from relay)) from event_sequence)::integer as "unrelayedRows",
      coalesce((select greatest(0, extract(epoch from clock_timestamp() - min(created_at)) * 1000) from oldest), 0)::double precision as "lagMs"`.execute(tx);
  return rows[0] ?? { unnumberedRows: 0, unrelayedRows: 0, lagMs: 0 };
}

export async function deadLetterRows(tx: Tx): Promise<{ readonly state: string; readonly letters: number }[]> {
  const { rows } = await sql<{ state: string; letters: number }>`
    select state, count(*)::integer as letters from dead_letter where state in ('DEAD', 'REDRIVEN') group by state`.execute(tx);
  return rows;
}

export interface NodeRow { readonly state: string; readonly schedulable: boolean; readonly nodes: number }

export async function nodeRows(tx: Tx): Promise<NodeRow[]> {
  const { rows } = await sql<NodeRow>`select state, coalesce(schedulable, false) as schedulable, count(*)::integer as nodes from node group by 1, 2`.execute(tx);
  return rows;
}

export interface DeviceRow { readonly model: string; readonly health: string; readonly schedulable: boolean; readonly devices: number; readonly usedMilli: number }

export async function deviceRows(tx: Tx): Promise<DeviceRow[]> {
  const { rows } = await sql<DeviceRow>`
    select d.model, d.health, coalesce(n.schedulable, false) as schedulable, count(*)::integer as devices, sum(d.used_milli)::integer as "usedMilli"
    from device d join node n on n.id = d.node_id group by 1, 2, 3`.execute(tx);
  return rows;
}

export async function fencedMembers(tx: Tx): Promise<number> {
  const { rows } = await sql<{ members: number }>`
    select count(*)::integer as members from (select distinct job_id, epoch, rank from allocation where state = 'fenced') f`.execute(tx);
  return rows[0]?.members ?? 0;
}

export interface LeaderRow { readonly name: string; readonly held: boolean }

export async function leaderRows(tx: Tx): Promise<LeaderRow[]> {
  const { rows } = await sql<LeaderRow>`
    select name, holder is not null and expires_at > clock_timestamp() as held from leader_lease order by name`.execute(tx);
  return rows;
}
