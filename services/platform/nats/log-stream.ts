/** Log chunks of members: acknowledged publishing by agents, reading from the oldest kept chunk by the API. */
import { DeliverPolicy, type ConsumerMessages } from 'nats';
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
  /** undefined: not JSON */
  readonly value: unknown;
  /** how many more stood behind it when it was delivered */
  readonly pending: number;
}

export interface LogReading extends AsyncIterable<StoredLog> {
  close(): Promise<void>;
}

/**
 * Reads what is kept on the subject (wildcards allowed) in the order it was stored, then what comes.
 * Takes the next one only when the last was worked on, so a slow reader costs `bufferedMax` chunks of memory.
 */
export async function readLogs(bus: Bus, subject: string, bufferedMax = 16): Promise<LogReading> {
  const consumer = await connectionOf(bus).jetstream().consumers.get(logStream, { filterSubjects: subject, deliver_policy: DeliverPolicy.All });
  const messages = await consumer.consume({ max_messages: bufferedMax });
  return {
    [Symbol.asyncIterator]: () => stored(messages),
    close: async () => { await messages.close(); },
  };
}

async function* stored(messages: ConsumerMessages): AsyncGenerator<StoredLog> {
  for await (const message of messages) yield { subject: message.subject, value: readJson(message.data), pending: message.info.pending };
}

function readJson(data: Uint8Array): unknown {
  try {
    return decodeJson(data);
  } catch {
    return undefined;
  }
}

/** How many chunks are kept on the subject now (wildcards allowed). */
export async function countLogs(bus: Bus, subject: string): Promise<number> {
  const manager = await connectionOf(bus).jetstreamManager();
  const { state } = await manager.streams.info(logStream, { subjects_filter: subject });
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
}
