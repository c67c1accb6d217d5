import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { permutation } from './random.ts';

export const pixelCount = 64;
export const classCount = 10;

/** One image: pixels in 0…1, and the digit it shows. */
export interface Digit {
  pixels: Float64Array;
  label: number;
}

/** Where the training stands in the data: `epoch` passes are complete, `offset` samples of the next were used. */
export interface DataPosition {
  epoch: number;
  offset: number;
}

const heldOutCount = 300;
const splitSeed = 1998; // fixed, so that runs with different seeds are measured on the same images
const shuffleStream = 1_000_000; // streams below belong to the initial weights

/** The 1,797 digits of UCI, split into 1,497 to train on and 300 held out. */
export function loadDigits(): { train: Digit[]; heldOut: Digit[] } {
  const text = gunzipSync(readFileSync(new URL('./digits.csv.gz', import.meta.url))).toString('ascii');
  const digits = text.trim().split('\n').map(parseDigit);
  const shuffled = Array.from(permutation(digits.length, splitSeed, 0), (index) => digits[index]!);
  return { train: shuffled.slice(heldOutCount), heldOut: shuffled.slice(0, heldOutCount) };
}

/** Steps in one pass over the data. The last, incomplete batch of a pass is left out. */
export function stepsPerEpoch(sampleCount: number, batchSize: number): number {
  return Math.floor(sampleCount / batchSize);
}

/** The position after `steps` steps: it follows from the step alone, and a checkpoint states it for the reader. */
export function dataPosition(steps: number, sampleCount: number, batchSize: number): DataPosition {
  const perEpoch = stepsPerEpoch(sampleCount, batchSize);
  return { epoch: Math.floor(steps / perEpoch), offset: (steps % perEpoch) * batchSize };
}

/** Gives the sample numbers of each step; the order is shuffled anew by (seed, epoch). */
export class Batches {
  readonly #sampleCount: number;
  readonly #batchSize: number;
  readonly #seed: number;
  #epoch = -1;
  #order: Uint32Array = new Uint32Array(0);

  constructor(sampleCount: number, batchSize: number, seed: number) {
    this.#sampleCount = sampleCount;
    this.#batchSize = batchSize;
    this.#seed = seed;
  }

  /** Sample numbers of the step that follows `stepsDone` finished ones. */
  after(stepsDone: number): Uint32Array {
    const { epoch, offset } = dataPosition(stepsDone, this.#sampleCount, this.#batchSize);
    if (epoch !== this.#epoch) {
      this.#order = permutation(this.#sampleCount, this.#seed, shuffleStream + epoch);
      this.#epoch = epoch;
    }
    return this.#order.subarray(offset, offset + this.#batchSize);
  }
}

function parseDigit(line: string): Digit {
  const numbers = line.split(',').map(Number);
  if (numbers.length !== pixelCount + 1) throw new Error(`digits.csv.gz: a line has ${String(numbers.length)} fields, not 65`);
  return { pixels: Float64Array.from(numbers.slice(0, pixelCount), (value) => value / 16), label: numbers[pixelCount]! };
}
