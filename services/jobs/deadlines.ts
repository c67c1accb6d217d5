/**
 * Which deadlines of a placed job have passed, by the database's clock. The workflow reads them, and the operation that
 * acts on one asks again in its own transaction.
 */
import { sql } from 'kysely';
import type { Config } from '../platform/config.ts';
import type { Db, Tx } from '../platform/db.ts';

export type DeadlineConfig = Pick<Config, 'leaseTtlMs' | 'leaseDriftMs' | 'startTimeoutMs' | 'stuckGraceMs'>;

export interface Deadlines {
  readonly startDue: boolean;
  readonly timeLimitDue: boolean;
  readonly fenceDue: boolean;
  readonly endDue: boolean;
  readonly nextDeadlineMs: number | null;
}

/**
 * - Start: each of RESERVED and STARTING has startTimeoutMs, counted from its beginning or, where later, from the last
 *   start of the ingest, and only while that is up and the nodes of all members that are not gone are heard.
 * - Fence (P16): lease of a silent node (never before a full TTL after the ingest came up) plus drift. While the ingest
 *   is away nothing is due.
 * - Time limit: RUNNING time over all attempts; one that was used up before this attempt is due from its beginning.
 * - End: all gone; or past the kill deadline and the rest unreachable; or past the stuck grace though reachable (P19),
 *   which counts anew after a gap of the ingest, since no exit could be told meanwhile. `exclusive` jobs wait for proof,
 *   or until t_fence and the kill time have passed (P20).
 */
export async function deadlinesOf(db: Db | Tx, jobId: string, config: DeadlineConfig): Promise<Deadlines> {
  const ms = (value: number) => sql`make_interval(secs => ${value / 1000}::double precision)`;
  const { rows } = await sql<{
    start_due: boolean; limit_due: boolean; fence_due: boolean; end_due: boolean; next_ms: number | null;
  }>`
    with ingest as (
      select up_since, beat_at > clock_timestamp() - ${ms(config.leaseTtlMs / 2)} as up, clock_timestamp() as now from ingest_heartbeat),
    live as (
      select count(*) as members,
        coalesce(bool_and(n.state = 'LIVE'), true) as heard,
        coalesce(bool_and(n.state <> 'LIVE'), true) as unreachable,
        min(greatest(n.lease_until, i.up_since + ${ms(config.leaseTtlMs)}) + ${ms(config.leaseDriftMs)}) filter (where n.state <> 'LIVE') as fence_at_first,
        max(greatest(n.lease_until, i.up_since + ${ms(config.leaseTtlMs)}) + ${ms(config.leaseDriftMs)}) filter (where n.state <> 'LIVE') as fence_at_last
      from job j join member m on m.job_id = j.id and m.epoch = j.epoch and m.gone_at is null
        join node n on n.id = m.node_id cross join ingest i
      where j.id = ${jobId}),
    facts as (
      select j.state, l.*, i.now, i.up,
        greatest(j.state_since, i.up_since) + ${ms(config.startTimeoutMs)} as start_at,
        case when j.run_ms >= (j.spec ->> 'timeLimitSeconds')::bigint * 1000 then a.reserved_at
          else a.running_at + make_interval(secs => (j.spec ->> 'timeLimitSeconds')::double precision - j.run_ms / 1000.0) end as limit_at,
        j.vacate_deadline_at as kill_at,
        case when j.exclusive then greatest(j.vacate_deadline_at, l.fence_at_last + make_interval(secs => (j.spec -> 'checkpoint' ->> 'graceSeconds')::double precision))
          else j.vacate_deadline_at end as unreachable_at,
        case when not j.exclusive then greatest(j.vacate_deadline_at, i.up_since) + ${ms(config.stuckGraceMs)} end as stuck_at
      from job j cross join ingest i cross join live l left join attempt a on a.job_id = j.id and a.epoch = j.epoch
      where j.id = ${jobId}),
    due as (
      select *,
        state in ('RESERVED', 'STARTING') as starting,
        state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING') as limited,
        state in ('VACATING', 'CANCELLING') as leaving
      from facts)
    select
      starting and up and heard and members > 0 and now >= start_at as start_due,
      coalesce(limited and now >= limit_at, false) as limit_due,
      coalesce(state = 'LOST' and up and now >= fence_at_first, false) as fence_due,
      coalesce(leaving and (members = 0 or (up and ((now >= unreachable_at and unreachable) or now >= stuck_at))), false) as end_due,
      (extract(epoch from least(
        case when starting then case when start_at > now then start_at else now + ${ms(config.leaseDriftMs)} end end,
        case when limited and limit_at > now then limit_at end,
        case when state = 'LOST' then greatest(fence_at_first, now + ${ms(config.leaseDriftMs)} * 0.2) end,
        case when leaving and unreachable_at > now then unreachable_at end,
        case when leaving and stuck_at > now then stuck_at end,
        case when leaving and unreachable_at <= now then now + ${ms(config.leaseDriftMs)} end) - now) * 1000)::double precision as next_ms
    from due`.execute(db);
  const row = rows[0];
  if (!row) return { startDue: false, timeLimitDue: false, fenceDue: false, endDue: false, nextDeadlineMs: null };
  return {
    startDue: row.start_due, timeLimitDue: row.limit_due, fenceDue: row.fence_due, endDue: row.end_due,
    nextDeadlineMs: row.next_ms === null ? null : Math.max(1, Math.ceil(row.next_ms)),
  };
}
