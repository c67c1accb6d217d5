/** Numbers that a seed and a name decide: the same for every run, and for each name its own row (law 12's habit). */
export type Random = () => number;

/** @returns numbers in [0, 1): mulberry32 over an FNV-1a hash of seed and names */
export function seeded(seed: number, ...names: readonly (string | number)[]): Random {
  let state = (2_166_136_261 ^ seed) >>> 0;
  for (const char of names.join('\u0000')) state = Math.imul(state ^ char.charCodeAt(0), 16_777_619) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Least and most, in milliseconds. */
export type RangeMs = readonly [number, number];

export const within = (random: Random, [least, most]: RangeMs): number => least + random() * (most - least);

/** A wait whose mean is `meanMs`, as between events that know nothing of each other. */
export const waitMs = (random: Random, meanMs: number): number => -Math.log(1 - random()) * meanMs;

/** One of `choices` by weight; the last where they add up to nothing. */
export function pick<Choice extends { readonly weight: number }>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0);
  return choices.find(({ weight }) => (rest -= weight) < 0) ?? choices[choices.length - 1] ?? choices[0];
}
