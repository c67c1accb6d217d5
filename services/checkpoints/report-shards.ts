import type { MemberKey, ShardFact } from '../fleet/model.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { isShardPath, shardsPerRankMax, type ReportVerdict } from './model.ts';
import { refusalToPublish } from './right.ts';
import { countUncommittedSteps, findCommit, insertShards, lockEpoch, otherOwnerOf, shardsOfRank, type ShardOwner } from './store.ts';

export interface ShardReport {
  /** whose agent hashed the files */
  readonly node: string;
  readonly member: MemberKey;
  readonly step: bigint;
  readonly files: readonly ShardFact[];
}

type Bounds = Pick<Config, 'uncommittedCheckpointStepsMax'>;

/**
 * Records what one rank wrote for one step; a commit counts it. A report may come in parts and be repeated.
 * Refused: files that changed since they were reported, files of another rank or step (both would alter a checkpoint
 * that may be relied on), more files or open steps than the bounds, anything new after the commit.
 *
 * @param tx  open transaction; the caller has checked that the node runs the member
 */
export async function reportShards(tx: Tx, report: ShardReport, bounds: Bounds): Promise<ReportVerdict> {
  const malformed = refusalOfFiles(report.files);
  if (malformed !== undefined) return { kind: 'refused', detail: malformed };
  const epoch = BigInt(report.member.epoch);
  const owner = { jobId: report.member.job, epoch, step: report.step, rank: report.member.rank, nodeId: report.node };

  const noRight = refusalToPublish(await lockEpoch(tx, owner.jobId, epoch, 'share'), epoch);
  if (noRight !== undefined) return { kind: 'fenced', detail: noRight };

  const known = new Map((await shardsOfRank(tx, owner)).map((file) => [file.path, file]));
  const altered = report.files.find((file) => isAltered(known.get(file.path), file));
  if (altered) return { kind: 'refused', detail: `${altered.path} was reported with other content` };
  const added = report.files.filter((file) => !known.has(file.path));
  if (added.length === 0) return { kind: 'already' };

  const detail = await refusalOfAdded(tx, owner, added, known.size, bounds);
  if (detail !== undefined) return { kind: 'refused', detail };
  await insertShards(tx, owner, added);
  return { kind: 'reported' };
}

function refusalOfFiles(files: readonly ShardFact[]): string | undefined {
  if (files.length === 0) return 'no files';
  const wrong = files.find((file) => !isShardPath(file.path));
  if (wrong) return `${JSON.stringify(wrong.path)} is no path of a shard`;
  return new Set(files.map((file) => file.path)).size < files.length ? 'a path stands twice' : undefined;
}

async function refusalOfAdded(tx: Tx, owner: ShardOwner, added: readonly ShardFact[], known: number, bounds: Bounds): Promise<string | undefined> {
  if (known + added.length > shardsPerRankMax) return `more than ${shardsPerRankMax} shards of one rank`;
  if (await findCommit(tx, owner.jobId, owner.epoch, owner.step)) return `step ${owner.step} is committed`;
  const other = await otherOwnerOf(tx, owner, added.map((file) => file.path));
  if (other) return `${other.path} belongs to step ${other.step} of rank ${other.rank}; give each step and rank files of its own`;
  const steps = known === 0 ? await countUncommittedSteps(tx, owner) : 0;
  return steps < bounds.uncommittedCheckpointStepsMax ? undefined : `${steps} steps were reported and never committed`;
}

const isAltered = (before: ShardFact | undefined, now: ShardFact): boolean =>
  before !== undefined && (before.sha256 !== now.sha256 || before.bytes !== now.bytes);
