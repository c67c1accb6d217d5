/** Chunks to text: repetitions dropped, gaps told, bytes decoded across chunks, nothing that could move a cursor. */
import { logStreams, type LogChunk, type LogSource, type LogStreamName } from './model.ts';

export interface LogLine {
  /** where to read on */
  readonly seq: number;
  readonly kind: 'output' | 'notice';
  readonly node: string;
  readonly epoch: string;
  readonly rank: number;
  readonly stream: LogStreamName;
  readonly atMs: number;
  readonly text: string;
}

interface Progress {
  readonly decoder: InstanceType<typeof TextDecoder>;
  /** undefined before the first chunk: reading may begin in the middle */
  nextOffset: bigint | undefined;
  isEnded: boolean;
}

export class Assembly {
  readonly #progress = new Map<string, Progress>();

  add(seq: number, source: LogSource, chunk: LogChunk): LogLine[] {
    const progress = this.#of(source.epoch, source.rank, chunk.stream);
    const line = (kind: LogLine['kind'], text: string): LogLine[] =>
      text === '' ? [] : [{ seq, kind, node: source.node, epoch: source.epoch, rank: source.rank, stream: chunk.stream, atMs: chunk.atMs, text }];
    const data = Buffer.from(chunk.text, 'base64');
    const offset = BigInt(chunk.offset);
    const expected = progress.nextOffset ?? offset;
    const missing = offset - expected;
    // An agent that died before its acknowledgement sends the same again; after the duplicate window it is stored again.
    const fresh = missing < 0n ? data.subarray(Number(-missing)) : data;
    if (fresh.length > 0) progress.nextOffset = offset + BigInt(data.length);
    else progress.nextOffset = expected > offset ? expected : offset;
    if (chunk.end) progress.isEnded = true;
    return [
      ...line('notice', missing > 0n ? `${missing} bytes of ${chunk.stream} are no longer kept` : ''),
      ...line('output', printable(progress.decoder.decode(fresh, { stream: !chunk.end }))),
      ...line('notice', chunk.truncated ? `${chunk.stream} was cut here: the member printed more than is kept` : ''),
    ];
  }

  /** Both streams said their last. */
  hasEnded(epoch: string, rank: number): boolean {
    return logStreams.every((stream) => this.#progress.get(keyOf(epoch, rank, stream))?.isEnded === true);
  }

  #of(epoch: string, rank: number, stream: LogStreamName): Progress {
    const key = keyOf(epoch, rank, stream);
    const found = this.#progress.get(key) ?? { decoder: new TextDecoder(), nextOffset: undefined, isEnded: false };
    this.#progress.set(key, found);
    return found;
  }
}

const keyOf = (epoch: string, rank: number, stream: LogStreamName): string => `${epoch} ${rank} ${stream}`;

/** Line breaks, tabs and carriage returns stay; escape sequences and other controls are shown, never sent to a terminal. */
const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
