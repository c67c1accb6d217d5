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

export type CommitVerdict =
  | { readonly kind: 'committed'; readonly checkpoint: string; readonly step: bigint }
  | { readonly kind: 'already'; readonly checkpoint: string; readonly step: bigint }
  | { readonly kind: 'fenced'; readonly detail: string }
  | { readonly kind: 'incomplete'; readonly missingRanks: readonly number[] }
  | { readonly kind: 'notNewer'; readonly currentStep: bigint };
