import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import type { Checkpoint, Shard } from './model.ts';
import { allShards, findCheckpoint, listManifests, readPointer } from './store.ts';

/** The page goes on after this epoch and step. */
export interface CheckpointCursor { readonly epoch: bigint; readonly step: bigint }

/** Manifests of a job, newest first, and the id of the one that a restart gets. The caller has checked the job. */
export async function listCheckpoints(db: Db, jobId: string, after: CheckpointCursor | undefined, limit: number): Promise<{ checkpoints: Checkpoint[]; currentId: string | null }> {
  const checkpoints = await listManifests(db, jobId, after, limit);
  return { checkpoints, currentId: (await readPointer(db, jobId))?.checkpointId ?? null };
}

/** Shards shown of one checkpoint: 64 ranks with 64 files each; `shards` of the manifest says how many there are. */
const shardsShownMax = 4_096;

/** One manifest with its shards; none are shown where retention has dropped them. @throws `checkpoint_not_found` 404 */
export async function getCheckpoint(db: Db, jobId: string, checkpointId: string): Promise<{ checkpoint: Checkpoint; shards: Shard[]; currentId: string | null }> {
  const checkpoint = isId('ckpt', checkpointId) ? await findCheckpoint(db, jobId, checkpointId) : undefined;
  if (!checkpoint) throw problem('checkpoint_not_found', { job: jobId });
  const pointer = await readPointer(db, jobId);
  return { checkpoint, shards: await allShards(db, checkpoint, shardsShownMax), currentId: pointer?.checkpointId ?? null };
}
