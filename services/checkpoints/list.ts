import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import type { Checkpoint, Pointer, Shard } from './model.ts';
import { allShards, findCheckpoint, jobExists, listManifests, readPointer } from './store.ts';

/** Where the next page goes on: after this epoch and step. */
export interface CheckpointCursor { readonly epoch: bigint; readonly step: bigint }

export interface CheckpointPage {
  readonly checkpoints: readonly Checkpoint[];
  readonly next: CheckpointCursor | undefined;
  /** what a restart gets; undefined: nothing was committed */
  readonly pointer: Pointer | undefined;
}

/** Manifests of a job, newest first. @throws `job_not_found` 404 */
export async function listCheckpoints(db: Db, jobId: string, after: CheckpointCursor | undefined, limit: number): Promise<CheckpointPage> {
  if (!await jobExists(db, jobId)) throw problem('job_not_found', { job: jobId });
  const rows = await listManifests(db, jobId, after, limit + 1);
  const checkpoints = rows.slice(0, limit);
  const last = checkpoints.at(-1);
  return { checkpoints, next: rows.length > limit && last ? { epoch: last.epoch, step: last.step } : undefined, pointer: await readPointer(db, jobId) };
}

/** Shards shown of one checkpoint: 64 ranks with 64 files each; `shards` of the manifest says how many there are. */
const shardsShownMax = 4_096;

/** One manifest with its shards; none are shown where retention has dropped them. @throws `checkpoint_not_found` 404 */
export async function getCheckpoint(db: Db, jobId: string, checkpointId: string): Promise<{ checkpoint: Checkpoint; shards: readonly Shard[]; isCurrent: boolean }> {
  const checkpoint = await findCheckpoint(db, jobId, checkpointId);
  if (!checkpoint) throw problem('checkpoint_not_found', { job: jobId, checkpoint: checkpointId });
  const pointer = await readPointer(db, jobId);
  return { checkpoint, shards: await allShards(db, checkpoint, shardsShownMax), isCurrent: pointer?.checkpointId === checkpointId };
}
