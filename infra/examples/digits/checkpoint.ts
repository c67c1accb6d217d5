import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeShard } from '../../clients/node/muster-checkpoint.ts';
import { exits, Exit } from './exits.ts';
import { bytesOf, floatsOf } from './gang.ts';
import type { Recipe } from './options.ts';
import { partOf } from './sum.ts';

/** What rank 0's shard says beside the weights. */
export interface Header {
  format: 'muster-digits/1';
  step: number;
  recipe: Recipe;
  /** Ranks that wrote the optimizer's shards: their number gives the names and the parts. */
  worldSize: number;
  /** Steps at which the run was resumed so far. */
  resumedFrom: number[];
}

/** A resumed run: where it stands and its weights. */
export interface Saved {
  header: Header;
  weights: Float64Array;
}

const format = 'muster-digits/1';
const maxHeaderBytes = 1024 * 1024;

const weightsPath = (step: number) => `step-${String(step)}/weights.bin`;
const optimizerPath = (step: number, rank: number, worldSize: number) => `step-${String(step)}/optimizer-${String(rank)}-of-${String(worldSize)}.bin`;
export const resultPath = (step: number) => `step-${String(step)}/result.json`;

/** Writes rank 0's weights. @returns the path, relative to `dir` */
export function writeWeights(dir: string, header: Omit<Header, 'format'>, weights: Float64Array): string {
  return writeFile(dir, weightsPath(header.step), { format, ...header }, weights);
}

/** Writes one rank's part of the optimizer's state. @returns the path, relative to `dir` */
export function writeOptimizer(dir: string, step: number, rank: number, worldSize: number, state: Float64Array): string {
  return writeFile(dir, optimizerPath(step, rank, worldSize), { format, step, rank, worldSize }, state);
}

/** Writes the result of the finished training. @returns the path, relative to `dir` */
export function writeResult(dir: string, step: number, result: object): string {
  writeShard(dir, resultPath(step), Buffer.from(`${JSON.stringify(result, null, 2)}\n`));
  return resultPath(step);
}

/** @throws Exit 65, when the file is absent, torn, of another step or of another recipe */
export function readWeights(dir: string, step: number, recipe: Recipe, parameterCount: number): Saved {
  const path = join(dir, weightsPath(step));
  const { header, values } = readFile<Header>(path, step, parameterCount);
  if (JSON.stringify(header.recipe) !== JSON.stringify(recipe)) {
    throw new Exit(exits.checkpointUnreadable, `${path} was written with ${JSON.stringify(header.recipe)}, this run has ${JSON.stringify(recipe)}`);
  }
  return { header, weights: values };
}

/**
 * Fills `state` (first moments, then second ones of this rank's part). The same number of ranks reads one file each;
 * after a change of it, each rank cuts its part out of the files that hold it.
 *
 * @throws Exit 65, as above
 */
export function readOptimizer(dir: string, saved: Header, rank: number, worldSize: number, parameterCount: number, state: Float64Array): void {
  const mine = partOf(parameterCount, rank, worldSize);
  const mineCount = mine.to - mine.from;
  for (let writer = 0; writer < saved.worldSize; writer++) {
    const theirs = partOf(parameterCount, writer, saved.worldSize);
    const from = Math.max(mine.from, theirs.from);
    const to = Math.min(mine.to, theirs.to);
    if (from >= to) continue;
    const theirCount = theirs.to - theirs.from;
    const path = join(dir, optimizerPath(saved.step, writer, saved.worldSize));
    const { values } = readFile(path, saved.step, 2 * theirCount);
    state.set(values.subarray(from - theirs.from, to - theirs.from), from - mine.from);
    state.set(values.subarray(theirCount + from - theirs.from, theirCount + to - theirs.from), mineCount + from - mine.from);
  }
}

/** A file is: u32 length of the header, the header as JSON, padding to 8 bytes, 64-bit floats (little-endian). */
function writeFile(dir: string, path: string, header: object, values: Float64Array): string {
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(valuesOffset(text.byteLength));
  start.writeUInt32LE(text.byteLength, 0);
  text.copy(start, 4);
  writeShard(dir, path, start, bytesOf(values));
  return path;
}

function readFile<H extends { format: string; step: number }>(path: string, step: number, count: number): { header: H; values: Float64Array } {
  const unreadable = (why: string) => new Exit(exits.checkpointUnreadable, `checkpoint file ${path} ${why}`);
  if (!existsSync(path)) throw unreadable('is absent');
  const bytes = readFileSync(path);
  const headerLength = bytes.byteLength < 4 ? maxHeaderBytes : bytes.readUInt32LE(0);
  const from = valuesOffset(headerLength);
  if (headerLength >= maxHeaderBytes || bytes.byteLength !== from + 8 * count) throw unreadable('has the wrong length');
  const header = parseHeader<H>(bytes.subarray(4, 4 + headerLength));
  if (header?.format !== format || header.step !== step) throw unreadable(`is not a file of step ${String(step)}`);
  return { header, values: floatsOf(new Uint8Array(bytes.subarray(from))) };
}

function parseHeader<H>(bytes: Buffer): H | undefined {
  try {
    return JSON.parse(bytes.toString()) as H;
  } catch {
    return undefined;
  }
}

const valuesOffset = (headerLength: number): number => Math.ceil((4 + headerLength) / 8) * 8;
