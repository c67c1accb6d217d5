import type { ResumePoint } from '../fleet/model.ts';
import type { Tx } from '../platform/db.ts';
import { findCheckpoint, shardsToVerify } from './store.ts';

/**
 * What one rank gets to resume from: the folder, and the shards that it finds intact before it starts. Every shard is
 * verified by one rank, whatever the gang's size was when it was written: rank r takes those of ranks ≡ r (mod members).
 *
 * @param checkpointId  the one that the epoch was placed with; null: it starts without
 * @returns null where the epoch starts without a checkpoint
 */
export async function resumePoint(tx: Tx, jobId: string, rank: number, members: number, checkpointId: string | null): Promise<ResumePoint | null> {
  if (checkpointId === null) return null;
  const checkpoint = await findCheckpoint(tx, jobId, checkpointId);
  if (!checkpoint) throw new Error(`${jobId} was placed with ${checkpointId}, which has no manifest`);
  return {
    checkpoint: checkpoint.id,
    step: Number(checkpoint.step),
    dir: checkpoint.dir,
    reach: checkpoint.reach,
    shards: await shardsToVerify(tx, checkpoint, rank, members),
  };
}
