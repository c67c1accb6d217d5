import { sql } from 'kysely';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import type { Manifest } from './model.ts';

/**
 * Bounds the rows of one job after a commit; the files are the job's own. Goes: shards that can no longer be committed
 * (older steps or epochs without a manifest), shards of checkpoints beyond the newest readable ones, manifests beyond
 * the history. The pointer names the newest, so it never loses its rows.
 */
export async function pruneCheckpoints(
  tx: Tx, newest: Pick<Manifest, 'jobId' | 'epoch' | 'step'>, kept: Pick<Config, 'checkpointShardSetsKept' | 'checkpointManifestsKept'>,
): Promise<void> {
  await sql`
    with readable as (
      select epoch, step from checkpoint where job_id = ${newest.jobId} and state = 'COMMITTED'
       order by epoch desc, step desc limit ${kept.checkpointShardSetsKept})
    delete from checkpoint_shard s
     where s.job_id = ${newest.jobId} and (s.epoch, s.step) <= (${newest.epoch}, ${newest.step})
       and not exists (select from readable r where r.epoch = s.epoch and r.step = s.step)`.execute(tx);
  await sql`
    with history as (
      select id from checkpoint where job_id = ${newest.jobId} order by epoch desc, step desc offset ${kept.checkpointManifestsKept})
    delete from checkpoint c using history where c.id = history.id`.execute(tx);
}
