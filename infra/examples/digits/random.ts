/**
 * Random numbers that depend on nothing but (seed, stream): mulberry32 over a mixed start value.
 * Integer arithmetic only, so that every machine gives the same sequence.
 *
 * @returns a function that gives the next number in [0, 1)
 */
export function randomStream(seed: number, stream: number): () => number {
  let state = mix(mix(seed >>> 0) ^ (stream >>> 0));
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    return mix(state) / 4_294_967_296;
  };
}

/** The numbers 0…count−1 in an order given by (seed, stream): Fisher and Yates. */
export function permutation(count: number, seed: number, stream: number): Uint32Array {
  const random = randomStream(seed, stream);
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const moved = order[last]!;
    order[last] = order[other]!;
    order[other] = moved;
  }
  return order;
}

function mix(value: number): number {
  let t = Math.imul(value ^ (value >>> 15), 1 | value);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return (t ^ (t >>> 14)) >>> 0;
}
