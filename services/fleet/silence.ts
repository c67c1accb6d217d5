/**
 * Nodes that fall silent, and the jobs on them (P12–P16). All level-triggered: each sweep looks at what is, so a crash
 * between two steps is repaired by the next.
 */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { stateFromCounters } from '../jobs/model.ts';
import { moveJob } from '../jobs/move.ts';
import { countersOf, lockAttempt, lockJob } from '../jobs/store.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { nodeChanged } from '../scheduler/allocations.ts';
import { allHeard } from './store.ts';

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
  for (const jobId of silent) moved += await inTransaction(db, (tx) => loseJob(tx, jobId));
  for (const jobId of heard) moved += await inTransaction(db, (tx) => hearJob(tx, jobId));
  return moved;
}

async function jobsOn(db: Db, states: ReturnType<typeof sql>, condition: ReturnType<typeof sql>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select j.id from job j join member m on m.job_id = j.id and m.epoch = j.epoch and m.gone_at is null join node n on n.id = m.node_id
    where ${states} group by j.id having ${condition} order by j.id limit ${jobsPerSweepMax}`.execute(db);
  return rows.map((row) => row.id);
}

async function loseJob(tx: Tx, jobId: string): Promise<number> {
  const job = await lockJob(tx, jobId);
  if (!job || (job.state !== 'RESERVED' && job.state !== 'STARTING' && job.state !== 'RUNNING') || (await allHeard(tx, job.id, job.epoch))) return 0;
  await moveJob(tx, job, 'nodeSilent', 'LOST', { detail: 'a node of it has fallen silent' });
  return 1;
}

async function hearJob(tx: Tx, jobId: string): Promise<number> {
  const job = await lockJob(tx, jobId);
  if (!job || job.state !== 'LOST' || !(await allHeard(tx, job.id, job.epoch))) return 0;
  const attempt = await lockAttempt(tx, job.id, job.epoch);
  if (!attempt) return 0;
  await moveJob(tx, job, 'heardAgain', stateFromCounters(countersOf(attempt)), { detail: null });
  return 1;
}
