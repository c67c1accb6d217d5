import { type Channel, frames } from './channel.ts';
import { treeSum } from './sum.ts';

/**
 * The collectives that the training needs, as a star around rank 0. Sums are added in rank order along a fixed tree,
 * never in order of arrival. Every wait is bounded; a lost peer ends the call with Exit 69.
 */
export class Gang {
  readonly rank: number;
  readonly worldSize: number;
  readonly #channels: readonly Channel[];
  readonly #timeoutMs: number;

  /** @param channels at rank 0 those of ranks 1, 2, … in order; elsewhere the one to rank 0 */
  constructor(rank: number, worldSize: number, channels: readonly Channel[], timeoutMs: number) {
    this.rank = rank;
    this.worldSize = worldSize;
    this.#channels = channels;
    this.#timeoutMs = timeoutMs;
  }

  /** Adds all ranks' vectors. @returns the sum at rank 0, undefined elsewhere. Changes `vector`. */
  async reduce(step: number, vector: Float64Array): Promise<Float64Array | undefined> {
    if (this.rank !== 0) {
      this.#toRoot.send(frames.reduce, step, bytesOf(vector));
      return undefined;
    }
    const received = await this.#fromAll(frames.reduce, step, this.#timeoutMs);
    return treeSum([vector, ...received.map(floatsOf)]);
  }

  /** Gives every rank its own of rank 0's vectors. */
  async scatter(step: number, vectors: readonly Float64Array[] | undefined): Promise<Float64Array> {
    if (this.rank !== 0) return floatsOf(await this.#toRoot.receive(frames.scatter, step, this.#timeoutMs));
    for (const [index, channel] of this.#channels.entries()) channel.send(frames.scatter, step, bytesOf(vectors![index + 1]!));
    return vectors![0]!;
  }

  /** Collects every rank's vector at rank 0, in rank order. @returns undefined elsewhere */
  async gather(step: number, vector: Float64Array, timeoutMs = this.#timeoutMs): Promise<Float64Array[] | undefined> {
    if (this.rank === 0) return [vector, ...(await this.#fromAll(frames.gather, step, timeoutMs)).map(floatsOf)];
    this.#toRoot.send(frames.gather, step, bytesOf(vector));
    return undefined;
  }

  /** Gives rank 0's bytes to all. */
  async broadcast(step: number, bytes: Uint8Array | undefined, timeoutMs = this.#timeoutMs): Promise<Uint8Array> {
    if (this.rank !== 0) return this.#toRoot.receive(frames.broadcast, step, timeoutMs);
    for (const channel of this.#channels) channel.send(frames.broadcast, step, bytes!);
    return bytes!;
  }

  /** Returns at rank 0 once all ranks came here, elsewhere at once: only rank 0 acts on it. */
  async arrive(step: number): Promise<void> {
    await this.gather(step, new Float64Array(0));
  }

  /** Tells the peers to end with `exitCode`. */
  async abort(exitCode: number): Promise<void> {
    for (const channel of this.#channels) channel.send(frames.abort, exitCode, new Uint8Array(0));
    await this.close();
  }

  /** Returns once everything sent has left this process. */
  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
  }

  get #toRoot(): Channel {
    return this.#channels[0]!;
  }

  #fromAll(kind: typeof frames.reduce | typeof frames.gather, step: number, timeoutMs: number): Promise<Uint8Array[]> {
    return Promise.all(this.#channels.map((channel) => channel.receive(kind, step, timeoutMs)));
  }
}

export const bytesOf = (vector: Float64Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** @param bytes an own buffer, whose offset is 0: frames and files are read into one */
export const floatsOf = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
