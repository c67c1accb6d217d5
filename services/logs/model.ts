/**
 * Logs: what members print. Chunks in a JetStream stream, bounded in bytes and age; not facts (design.md §1). They
 * outlive the node.
 */

export const logStreams = ['stdout', 'stderr'] as const;
export type LogStreamName = (typeof logStreams)[number];

/** What an agent publishes on `logs.<node>.<job>.<epoch>.<rank>`, in order, at most logChunkBytesMax raw bytes each. */
export interface LogChunk {
  readonly stream: LogStreamName;
  /** of the first byte within this member's stream; decimal string. A repetition has the same offset. */
  readonly offset: string;
  /** when the agent read it, ms since 1970, the node's clock */
  readonly atMs: number;
  /** base64 of the raw bytes: output may be binary, and a chunk may end within a character */
  readonly text: string;
  /** the member printed more than logBytesMaxPerMember; nothing of this stream follows, but `end` */
  readonly truncated?: true;
  /** the last chunk of this stream of this member (its text may be empty): the process is gone and all is read */
  readonly end?: true;
}

export interface LogSource {
  readonly node: string;
  readonly job: string;
  readonly epoch: string;
  readonly rank: number;
}

/** The same for a repetition, so that it is stored once. `end` has its own: it may follow an equal offset. */
export const logMessageId = (source: LogSource, chunk: LogChunk): string =>
  [source.job, source.epoch, source.rank, chunk.stream, chunk.offset, ...(chunk.end ? ['end'] : [])].join('-');

const decimal = /^\d{1,19}$/;

/** @returns undefined for what isn't a chunk */
export function parseLogChunk(value: unknown): LogChunk | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { stream, offset, atMs, text, truncated, end } = value as Record<string, unknown>;
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  if (typeof offset !== 'string' || !decimal.test(offset)) return undefined;
  if (typeof atMs !== 'number' || !Number.isFinite(atMs) || typeof text !== 'string') return undefined;
  return { stream, offset, atMs, text, ...(truncated === true ? { truncated } : {}), ...(end === true ? { end } : {}) };
}

/** @returns undefined for a subject that is none of ours */
export function parseLogSubject(subject: string): LogSource | undefined {
  const [prefix, node, job, epoch, rank, ...rest] = subject.split('.');
  if (prefix !== 'logs' || !node || !job || !epoch || !rank || rest.length > 0) return undefined;
  if (!decimal.test(epoch) || !/^\d{1,6}$/.test(rank)) return undefined;
  return { node, job, epoch, rank: Number(rank) };
}
