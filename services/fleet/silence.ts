/**
 * Nodes that fall silent, and the jobs on them (P12–P16). All level-triggered: each sweep looks at what is, so a crash
 * between two steps is repaired by the next.
 */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { lockJob } from '../jobs/lock.ts';
import { hearJob, loseJob } from '../jobs/silence.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import { nodeChanged } from '../scheduler/allocations.ts';

export type SilenceConfig = Pick<Config, 'leaseTtlMs'>;

/** Jobs that one sweep moves at most; the next one goes on. */
const jobsPerSweepMax = 500;

/**
 * The ingest says that it is up. After a gap silence starts to count anew (P16): every node gets a full TTL. Any number
 * of ingests may say it.
 */
export async function noteIngestUp(db: Db, config: SilenceConfig): Promise<void> {
  await sql`update ingest_heartbeat set
    up_since = case when beat_at < clock_timestamp() - make_interval(secs => ${gapMs(config) / 1000}::double precision) then clock_timestamp() else up_since end,
    beat_at = clock_timestamp()`.execute(db);
}

const gapMs = (config: SilenceConfig): number => config.leaseTtlMs / 2;
/** How often the ingest must say so: three times within a gap. */
export const ingestHeartbeatMs = (config: SilenceConfig): number => Math.max(20, gapMs(config) / 3);

/** LIVE nodes past their lease become UNKNOWN; during a gap of the ingest nothing does. @returns how many */
export async function sweepSilentNodes(db: Db, config: SilenceConfig): Promise<number> {
  return inTransaction(db, async (tx) => {
    const ttl = sql`make_interval(secs => ${config.leaseTtlMs / 1000}::double precision)`;
    const { rows } = await sql<{ id: string; version: bigint }>`
      with silent as (
        select n.id from node n cross join ingest_heartbeat i
        where n.state = 'LIVE' and n.lease_until is not null
          and i.beat_at > clock_timestamp() - make_interval(secs => ${gapMs(config) / 1000}::double precision)
          and greatest(n.lease_until, i.up_since + ${ttl}) < clock_timestamp()
        order by n.id for no key update of n skip locked)
      update node n set state = 'UNKNOWN', version = n.version + 1, changed_at = clock_timestamp()
      from silent s where n.id = s.id and n.lease_until < clock_timestamp()
      returning n.id, n.version`.execute(tx);
    await appendEvent(tx, ...rows.map((node) => nodeChanged(node.id, node.version)));
    return rows.length;
  });
}

/** Jobs with a member that is not gone on an UNKNOWN node become LOST; LOST ones all of whose nodes are heard go on. @returns how many moved */
export async function sweepLostJobs(db: Db): Promise<number> {
  const silent = await jobsOn(db, sql`j.state in ('RESERVED', 'STARTING', 'RUNNING')`, sql`bool_or(n.state <> 'LIVE')`);
  const heard = await jobsOn(db, sql`j.state = 'LOST'`, sql`bool_and(n.state = 'LIVE')`);
  let moved = 0;
  for (const [jobIds, move] of [[silent, loseJob], [heard, hearJob]] as const) {
    for (const jobId of jobIds) {
      moved += await inTransaction(db, async (tx) => {
        const job = await lockJob(tx, jobId);
        return job && (await move(tx, job)) ? 1 : 0;
      });
    }
  }
  return moved;
}

async function jobsOn(db: Db, states: ReturnType<typeof sql>, condition: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select j.id from job j join member m on m.job_id = j.id and m.epoch = j.epoch and m.gone_at is null join node n on n.id = m.node_id
    where ${states} group by j.id having ${condition} order by j.id limit ${jobsPerSweepMax}`.execute(db);
  return rows.map((row) => row.id);
}
