import { describe, expect, it } from 'vitest';
import { Adam } from '#infra/examples/digits/adam.ts';
import { Batches, dataPosition, loadDigits } from '#infra/examples/digits/dataset.ts';
import { Network, weightsDigest } from '#infra/examples/digits/network.ts';
import { parseOptions } from '#infra/examples/digits/options.ts';
import { partOf, sliceCount, sliceOf, slicesOf, treeSum } from '#infra/examples/digits/sum.ts';

describe('the data', () => {
  it('is 1,797 digits, of which 300 are held out, none twice', () => {
    const { train, heldOut } = loadDigits();
    expect([train.length, heldOut.length]).toEqual([1497, 300]);
    expect(new Set([...train, ...heldOut]).size).toBe(1797);
    expect(new Set(heldOut.map(({ label }) => label)).size).toBe(10);
  });

  it('each epoch takes every sample at most once, in an order of its own', () => {
    const batches = new Batches(100, 32, 7);
    const epoch = (number: number) => [0, 1, 2].flatMap((step) => [...batches.after(3 * number + step)]);
    const [first, second] = [epoch(0), epoch(1)];
    expect(new Set(first).size).toBe(96);
    expect(second).not.toEqual(first);
    expect(epoch(0)).toEqual(first);
    expect(dataPosition(7, 100, 32)).toEqual({ epoch: 2, offset: 32 });
  });
});

describe('the network', () => {
  it('its gradient is the slope of its loss', () => {
    const network = new Network([64, 8, 10]);
    const weights = network.initialWeights(3);
    const digit = loadDigits().train[0]!;
    const gradient = new Float64Array(network.parameterCount);
    network.addGradient(weights, digit, gradient);
    const lossAt = (index: number, change: number) => {
      const moved = Float64Array.from(weights);
      moved[index]! += change;
      return network.addGradient(moved, digit, new Float64Array(network.parameterCount));
    };
    for (let index = 0; index < weights.length; index += 7) {
      expect(gradient[index]).toBeCloseTo((lossAt(index, 1e-5) - lossAt(index, -1e-5)) / 2e-5, 6);
    }
  });

  it('the digest tells weights apart by a single bit', () => {
    expect(weightsDigest(Float64Array.of(1, 2))).not.toBe(weightsDigest(Float64Array.of(1, 2 + Number.EPSILON * 2)));
  });
});

describe('the sums', () => {
  it('are the same to the last bit for 1, 2, 4, 8 and 16 ranks', () => {
    const slices = () => Array.from({ length: sliceCount }, (_, slice) => Float64Array.of(Math.sin(slice) * 10 ** (slice % 5)));
    const sumOf = (worldSize: number) => treeSum(Array.from({ length: worldSize }, (_, rank) => treeSum(slicesOf(rank, worldSize).map((slice) => slices()[slice]!))))[0];
    expect(new Set([1, 2, 4, 8, 16].map(sumOf)).size).toBe(1);
  });

  it('slices and parts cover everything once', () => {
    const batch = Uint32Array.from({ length: 50 }, (_, index) => index);
    const covered = [0, 1, 2, 3].flatMap((rank) => slicesOf(rank, 4)).flatMap((slice) => [...sliceOf(batch, slice)]);
    expect(covered).toEqual([...batch]);
    expect([0, 1, 2].map((rank) => partOf(10, rank, 3))).toEqual([{ from: 0, to: 3 }, { from: 3, to: 6 }, { from: 6, to: 10 }]);
  });

  it('Adam on parts equals Adam on the whole', () => {
    const gradient = Float64Array.of(0.3, -2, 0, 5);
    const whole = Float64Array.of(1, 1, 1, 1);
    const parts = Float64Array.of(1, 1, 1, 1);
    const [all, left, right] = [new Adam(4, 0.1), new Adam(2, 0.1), new Adam(2, 0.1)];
    for (let step = 1; step <= 5; step++) {
      all.update(whole, gradient, step);
      left.update(parts.subarray(0, 2), gradient.subarray(0, 2), step);
      right.update(parts.subarray(2), gradient.subarray(2), step);
    }
    expect(parts).toEqual(whole);
  });
});

describe('the options', () => {
  it('a flag wins over the environment, which wins over the default', () => {
    expect(parseOptions([], {}).steps).toBe(600);
    expect(parseOptions([], { DIGITS_STEPS: '9' }).steps).toBe(9);
    expect(parseOptions(['--steps=5'], { DIGITS_STEPS: '9' }).steps).toBe(5);
  });

  it.each([
    [['--steps=0'], {}, '--steps'], [['--steps=1e99'], {}, '--steps'], [['--hidden=8,x'], {}, '--hidden'], [['--batch=-1'], {}, '--batch'],
    [['--nonsense'], {}, 'nonsense'], [[], { WORLD_SIZE: '3' }, 'WORLD_SIZE'], [[], { RANK: '1' }, 'RANK'], [[], { DIGITS_SEED: '' }, '--seed'],
  ])('%j with %j is refused with 64, and names it', (argv, env, name) => {
    expect(() => parseOptions(argv, env as NodeJS.ProcessEnv)).toThrow(expect.objectContaining({ exitCode: 64, message: expect.stringContaining(name) as string }) as Error);
  });
});
