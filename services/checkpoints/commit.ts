import { appendEvent } from '../events/append.ts';
import type { MemberKey } from '../fleet/model.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { checkpointEvent } from './events.ts';
import type { CheckpointReach, CommitVerdict, JsonFields, Manifest, Pointer } from './model.ts';
import { checkpointDir } from './model.ts';
import { pruneCheckpoints } from './retention.ts';
import { refusalToPublish } from './right.ts';
import { findCommit, insertManifest, lockEpoch, movePointer, readPointer, sumShards, type GangShards } from './store.ts';

export interface CommitRequest {
  /** rank 0's */
  readonly member: MemberKey;
  readonly step: bigint;
  readonly reach: CheckpointReach;
  readonly layout: JsonFields;
  readonly dataPosition: JsonFields;
}

/**
 * Publishes one step of one epoch as what a restart gets: manifest, then the pointer by compare-and-set on
 * (job, epoch, step). Repeating it answers `already`, also when its epoch is over by then: what was acknowledged stays
 * so. The job's version stays: no state changes, and a decision under way must not be superseded by a checkpoint.
 *
 * @param tx  open transaction; the caller has checked that the member's node asks
 */
export async function commitCheckpoint(
  tx: Tx, request: CommitRequest, retention: Pick<Config, 'checkpointShardSetsKept' | 'checkpointManifestsKept'>,
): Promise<CommitVerdict> {
  const jobId = request.member.job;
  const epoch = BigInt(request.member.epoch);
  const right = await lockEpoch(tx, jobId, epoch, 'update');
  const done = await findCommit(tx, jobId, epoch, request.step);
  if (done?.state === 'COMMITTED') return { kind: 'already', checkpoint: done.id, step: done.step };
  const detail = refusalToPublish(right, epoch);
  if (detail !== undefined || !right) return { kind: 'fenced', detail: detail ?? 'no such epoch' };

  const pointer = await readPointer(tx, jobId);
  const lowest = lowestNextStep(pointer);
  if (done || request.step < lowest) return { kind: 'notNewer', currentStep: done ? done.step : lowest - 1n };
  const gang = await sumShards(tx, jobId, epoch, request.step);
  const missingRanks = ranksMissing(gang, right.members);
  if (missingRanks.length > 0) return { kind: 'incomplete', missingRanks };

  const manifest: Manifest = {
    id: newId('ckpt'), jobId, epoch, step: request.step, dir: checkpointDir(jobId, request.member.epoch), reach: request.reach,
    layout: request.layout, dataPosition: request.dataPosition, nodes: gang.nodes, shards: gang.shards, bytes: gang.bytes,
  };
  await insertManifest(tx, manifest);
  if (!await movePointer(tx, jobId, pointer, { checkpointId: manifest.id, epoch, step: request.step })) {
    throw new Error(`pointer of ${jobId} moved under the job's lock`);
  }
  await pruneCheckpoints(tx, manifest, retention);
  await appendEvent(tx, checkpointEvent('checkpoint.committed', manifest, right.teamId, null));
  return { kind: 'committed', checkpoint: manifest.id, step: request.step };
}

/** Steps rise within what is readable; where nothing is, any step is better. */
const lowestNextStep = (pointer: Pointer | undefined): bigint => (pointer?.checkpointId ? pointer.step + 1n : 0n);

function ranksMissing(gang: GangShards, members: number): number[] {
  const reported = new Set(gang.ranks);
  return Array.from({ length: members }, (_, rank) => rank).filter((rank) => !reported.has(rank));
}
