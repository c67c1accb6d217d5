/**
 * The end of a restore: the freeze lasts until every agent that lives has had the time to speak and every process of a
 * lease that ran out is over (P35); then gangs that the rows did not know are settled, and decisions begin again.
 */
import { sql } from 'kysely';
import { settleQuarantined, superviseActive } from '../jobs/adopt-gang.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { Supervisor } from '../platform/temporal.ts';

export type ThawConfig = Pick<Config, 'leaseTtlMs' | 'leaseDriftMs' | 'lostGraceMs'>;

export async function isFrozen(db: Db): Promise<boolean> {
  return (await db.selectFrom('cluster').select('frozen_at').executeTakeFirstOrThrow()).frozen_at !== null;
}

/**
 * One turn of the reconciler: settles what is quarantined and ends the freeze, once it is due. Interrupted anywhere, the
 * next turn goes on.
 *
 * @returns what it found: gangs settled, and one for the thaw itself; nothing in a life without a restore
 */
export async function sweepRestore(db: Db, config: ThawConfig, log: Log): Promise<number> {
  const frozen = await isFrozen(db);
  if (frozen && !await isThawDue(db, config)) return 0;
  const gangs = await settleQuarantined(db, config);
  const settled = gangs.takenOver + gangs.stopped;
  if (settled > 0) log.info(gangs, 'gangs that the restored rows did not know were settled');
  if (!frozen) return settled;
  const remaining = await db.selectFrom('attempt').select('job_id').where('quarantined_at', 'is not', null).limit(1).executeTakeFirst();
  if (remaining) return settled; // the next turn
  await unfreeze(db);
  log.info('the restore is reconciled; placement and decisions go on');
  return settled + 1;
}

/**
 * t_fence from the moment the ingest is up in this life: by then an agent that lives has beaten, and the wrapper of an
 * `exclusive` member whose agent does not has ended it, kill time included (P16, P20).
 */
async function isThawDue(db: Db, { leaseTtlMs, leaseDriftMs }: ThawConfig): Promise<boolean> {
  const { rows: [row] } = await sql<{ due: boolean }>`
    select i.beat_at > clock_timestamp() - make_interval(secs => ${leaseTtlMs / 2_000}::double precision)
      and clock_timestamp() >= greatest(c.frozen_at, i.up_since) + make_interval(secs => ${(leaseTtlMs + leaseDriftMs) / 1_000}::double precision)
        + make_interval(secs => (select coalesce(max((spec -> 'checkpoint' ->> 'graceSeconds')::double precision), 0) from job where exclusive and ended_at is null)) as due
    from cluster c cross join ingest_heartbeat i`.execute(db);
  return row?.due === true;
}

async function unfreeze(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`update cluster set frozen_at = null`.execute(tx); // after plans in flight: they hold the row FOR SHARE
    await superviseActive(tx);
  });
}

/**
 * Tells every open run of the life before to read its row: one whose job the rows don't know, or know as waiting, ends
 * itself; the others supervise what they find. While Temporal is away the next turn tries again.
 */
export async function tellOpenRuns(db: Db, supervisor: Pick<Supervisor, 'openRuns' | 'signal'>): Promise<number> {
  const cluster = await db.selectFrom('cluster').select(['runs_told', 'incarnation']).executeTakeFirstOrThrow();
  if (cluster.runs_told) return 0;
  let told = 0;
  for await (const jobId of supervisor.openRuns()) {
    await supervisor.signal(jobId, { epoch: '0', version: '0', state: 'QUEUED' }); // a wake says no more than "read again"
    told += 1;
  }
  await db.updateTable('cluster').set({ runs_told: true }).where('incarnation', '=', cluster.incarnation).execute();
  return told;
}
