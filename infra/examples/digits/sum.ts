/**
 * Each batch is cut into this many slices, whatever the number of ranks. Their gradients are added along one fixed
 * binary tree, of which every rank computes a whole subtree: 1, 2, 4, 8 or 16 ranks add the same numbers in the same
 * order and reach the same bits.
 */
export const sliceCount = 16;

/** Numbers of the slices that a rank computes: consecutive, so that they form a subtree. */
export function slicesOf(rank: number, worldSize: number): number[] {
  const perRank = sliceCount / worldSize;
  return Array.from({ length: perRank }, (_, index) => rank * perRank + index);
}

/** The samples of one slice of a batch. */
export function sliceOf(batch: Uint32Array, slice: number): Uint32Array {
  const boundary = (index: number) => Math.floor((index * batch.length) / sliceCount);
  return batch.subarray(boundary(slice), boundary(slice + 1));
}

/** Adds vectors pair by pair, level by level; the count is a power of two. Changes the vectors. @returns the first, which is the sum */
export function treeSum(vectors: readonly Float64Array[]): Float64Array {
  for (let stride = 1; stride < vectors.length; stride *= 2) {
    for (let left = 0; left + stride < vectors.length; left += 2 * stride) add(vectors[left]!, vectors[left + stride]!);
  }
  return vectors[0]!;
}

/** The part [from, to) of `count` elements that belongs to a rank. */
export function partOf(count: number, rank: number, worldSize: number): { from: number; to: number } {
  const boundary = (index: number) => Math.floor((index * count) / worldSize);
  return { from: boundary(rank), to: boundary(rank + 1) };
}

function add(sum: Float64Array, other: Float64Array): void {
  for (let index = 0; index < sum.length; index++) sum[index]! += other[index]!;
}
