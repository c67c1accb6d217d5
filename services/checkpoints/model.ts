/** Checkpoints: the rules of paths and commits (design.md §3.5). */

/**
 * A shard's path: relative, below its epoch's prefix, at most 8 parts. No `..`, no empty or hidden part, no control
 * character: a name can't leave its folder or fool a terminal.
 */
const part = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
export const shardPathPartsMax = 8;

export function isShardPath(path: string): boolean {
  const parts = path.split('/');
  return parts.length <= shardPathPartsMax && parts.every((name) => part.test(name) && !name.includes('..'));
}

/** Folder of one epoch below the checkpoint root; never shared by two epochs. */
export const checkpointDir = (job: string, epoch: string): string => `${job}/${epoch}`;

export const shardsPerRankMax = 1_024;
export const manifestFieldBytesMax = 16_384;

export type CheckpointReach = 'node' | 'shared';
export type JsonFields = Readonly<Record<string, unknown>>;

/** What a commit publishes: one gang's shards of one step. */
export interface Manifest {
  readonly id: string;
  readonly jobId: string;
  readonly epoch: bigint;
  readonly step: bigint;
  /** relative to the checkpoint root */
  readonly dir: string;
  readonly reach: CheckpointReach;
  /** that reported shards; with reach `node` only these can read them */
  readonly nodes: readonly string[];
  readonly layout: JsonFields;
  readonly dataPosition: JsonFields;
  readonly shards: number;
  readonly bytes: bigint;
}

export interface Checkpoint extends Manifest {
  readonly state: 'COMMITTED' | 'BAD';
  readonly badReason: string | null;
  readonly committedAt: Date;
}

export interface Shard {
  readonly rank: number;
  readonly node: string;
  readonly path: string;
  readonly bytes: string;
  readonly sha256: string;
}

/** Where a restart begins. Without an id: commits exist and none can be read, so the job stops. */
export interface Pointer {
  readonly checkpointId: string | null;
  readonly epoch: bigint;
  readonly step: bigint;
}

export type ReportVerdict =
  | { readonly kind: 'reported' }
  | { readonly kind: 'already' }
  | { readonly kind: 'fenced'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string };

export type BadVerdict =
  | { readonly kind: 'marked'; readonly pointer: Pointer }
  | { readonly kind: 'already' }
  /** the files lie on nodes that the refusing one can't read: nothing is known against the checkpoint */
  | { readonly kind: 'elsewhere'; readonly nodes: readonly string[] }
  | { readonly kind: 'unknown' };

export type CommitVerdict =
  | { readonly kind: 'committed'; readonly checkpoint: string; readonly step: bigint }
  | { readonly kind: 'already'; readonly checkpoint: string; readonly step: bigint }
  | { readonly kind: 'fenced'; readonly detail: string }
  | { readonly kind: 'incomplete'; readonly missingRanks: readonly number[] }
  | { readonly kind: 'notNewer'; readonly currentStep: bigint };
