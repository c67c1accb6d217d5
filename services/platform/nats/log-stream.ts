/** Log chunks of members: acknowledged publishing by agents, reading from the oldest kept chunk by the API. */
import { setTimeout as delay } from 'node:timers/promises';
import { DeliverPolicy, type JsMsg } from 'nats';
import { logStream } from '../../events/model.ts';
import { connectionOf, type Bus } from './bus.ts';
import { decodeJson, encodeJson } from './json.ts';

const publishTimeoutMs = 5_000;

/**
 * Publishes one chunk and waits until it is stored. Needs no other right than to publish on the subject.
 *
 * @param subject    `logs.<node>.<job>.<epoch>.<rank>`
 * @param messageId  the same for a repetition: stored once within the duplicate window
 * @throws Error when NATS is away, too slow, or refuses it: publish it again later
 */
export async function publishLog(bus: Bus, subject: string, messageId: string, chunk: unknown): Promise<void> {
  if (!bus.connected()) throw new Error('NATS is away');
  await connectionOf(bus).jetstream().publish(subject, encodeJson(chunk), { msgID: messageId, timeout: publishTimeoutMs });
}

export interface StoredLog {
  readonly subject: string;
  /** place in the stream */
  readonly seq: number;
  /** undefined: not JSON */
  readonly value: unknown;
  /** how many more stood behind it when it was delivered */
  readonly pending: number;
}

export interface LogReading {
  /** @returns undefined, when nothing came within `ms` @throws Error, when the reading has ended */
  nextWithin(ms: number): Promise<StoredLog | undefined>;
  /** how many are kept and were not delivered yet */
  pending(): Promise<number>;
  close(): Promise<void>;
}

/** Chunks that are asked for ahead: what a slow reader costs in memory. */
const bufferedMax = 64;

/**
 * Reads what is kept on the subject (wildcards allowed) in the order it was stored, then what comes.
 *
 * @param afterSeq  begins behind that place; 0: with the oldest
 */
export async function readLogs(bus: Bus, subject: string, { afterSeq }: { readonly afterSeq: number }): Promise<LogReading> {
  // An ordered consumer begins with the oldest by itself; told DeliverPolicy.All too, the server refuses it (10094).
  const from = afterSeq > 0 ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSeq + 1 } : {};
  const consumer = await connectionOf(bus).jetstream().consumers.get(logStream, { filterSubjects: subject, ...from });
  const messages = await consumer.consume({ max_messages: bufferedMax });
  const iterator = messages[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<JsMsg>> | undefined;
  return {
    async nextWithin(ms) {
      next ??= iterator.next();
      const found = await orNothing(next, ms);
      if (!found) return undefined;
      next = undefined;
      if (found.done) throw new Error('reading logs has ended');
      return toStored(found.value);
    },
    pending: async () => (await consumer.info()).num_pending,
    close: async () => { await messages.close(); },
  };
}

async function orNothing<T>(value: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([value, delay(ms, undefined, { signal: timer.signal })]);
  } finally {
    timer.abort();
  }
}

const toStored = (message: JsMsg): StoredLog => ({ subject: message.subject, seq: message.seq, value: readJson(message.data), pending: message.info.pending });

function readJson(data: Uint8Array): unknown {
  try {
    return decodeJson(data);
  } catch {
    return undefined;
  }
}
