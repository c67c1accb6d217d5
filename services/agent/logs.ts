/**
 * Publishes what a member prints. The agent follows files, so that output never blocks a member and an agent's death
 * loses nothing: what was acknowledged is on disk, what wasn't is sent again under the same id.
 */
import { open, stat, truncate } from 'node:fs/promises';
import type { MemberKey } from '#services/fleet/model.ts';
import { logStreams, type LogChunk, type LogStreamName } from '#services/logs/model.ts';
import { readWhole, writeWhole } from './durable-file.ts';
import type { MemberFolder } from './member-folder.ts';

/** Resolves when the chunk is stored; throws while that can't be. */
export type PublishLog = (member: MemberKey, chunk: LogChunk) => Promise<void>;

interface StreamState {
  /** bytes that are stored */
  readonly offset: number;
  /** bytes that may be stored already: the repetition has the same length, because its id is that of its offset */
  readonly pending: number;
  readonly isCut: boolean;
  readonly isEnded: boolean;
}
type TailState = Readonly<Record<LogStreamName, StreamState>>;

export interface LogBounds {
  /** of both streams together */
  readonly bytesMax: number;
  readonly chunkBytesMax: number;
}

const retryMs = 1_000;
const nothingYet: StreamState = { offset: 0, pending: 0, isCut: false, isEnded: false };

export class LogTail {
  readonly #folder: MemberFolder;
  readonly #bounds: LogBounds;
  readonly #publish: PublishLog;
  #state: TailState;
  #run: Promise<boolean> | undefined;
  #notBeforeMs = 0;

  constructor(folder: MemberFolder, bounds: LogBounds, publish: PublishLog) {
    this.#folder = folder;
    this.#bounds = bounds;
    this.#publish = publish;
    this.#state = readWhole(folder.at('logs.json')) as TailState | undefined ?? { stdout: nothingYet, stderr: nothingYet };
  }

  /**
   * Publishes what is there now. A run under way is joined.
   *
   * @param isOver  no process is left: after what is there comes the end
   * @returns whether the end of both streams is stored
   */
  async pump(isOver: boolean): Promise<boolean> {
    if (this.#run) return this.#run;
    if (performance.now() < this.#notBeforeMs) return false;
    this.#run = this.#pumpAll(isOver).catch(() => {
      this.#notBeforeMs = performance.now() + retryMs; // the store is away; the file keeps it
      return false;
    }).finally(() => { this.#run = undefined; });
    return this.#run;
  }

  async #pumpAll(isOver: boolean): Promise<boolean> {
    for (const stream of logStreams) {
      await this.#pumpStream(stream);
      if (isOver && !this.#state[stream].isEnded) {
        await this.#send(stream, Buffer.alloc(0), { end: true });
        this.#remember(stream, { isEnded: true });
      }
    }
    return isOver;
  }

  async #pumpStream(stream: LogStreamName): Promise<void> {
    const file = this.#folder.at(stream);
    while (!this.#state[stream].isCut) {
      const { offset, pending } = this.#state[stream];
      const rest = this.#bounds.bytesMax - this.#state.stdout.offset - this.#state.stderr.offset;
      const data = await readAt(file, offset, pending || Math.max(1, Math.min(rest, this.#bounds.chunkBytesMax)));
      if (data.length === 0) return;
      if (rest <= 0 && pending === 0) {
        await this.#send(stream, Buffer.alloc(0), { truncated: true });
        this.#remember(stream, { isCut: true });
      } else {
        this.#remember(stream, { pending: data.length });
        await this.#send(stream, data, {});
        this.#remember(stream, { offset: offset + data.length, pending: 0 });
      }
    }
    // Nobody will read the rest. The member appends, so its file may be emptied under it: the disk stays bounded.
    if (await sizeOf(file) > 0) await truncate(file, 0);
  }

  #send(stream: LogStreamName, data: Buffer, note: Pick<LogChunk, 'truncated' | 'end'>): Promise<void> {
    const { offset } = this.#state[stream];
    return this.#publish(this.#folder.key, { stream, offset: String(offset), atMs: Date.now(), text: data.toString('base64'), ...note });
  }

  #remember(stream: LogStreamName, change: Partial<StreamState>): void {
    this.#state = { ...this.#state, [stream]: { ...this.#state[stream], ...change } };
    writeWhole(this.#folder.at('logs.json'), this.#state);
  }
}

async function readAt(file: string, offset: number, bytes: number): Promise<Buffer> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return Buffer.alloc(0);
  try {
    const buffer = Buffer.allocUnsafe(bytes);
    const { bytesRead } = await handle.read(buffer, 0, bytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0;
