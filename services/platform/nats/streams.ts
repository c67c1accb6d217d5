/** The two JetStream streams: made at the start of a role, brought to the configured bounds where they differ. */
import { DiscardPolicy, nanos, NatsError, RetentionPolicy, StorageType, type JetStreamManager, type StreamConfig } from 'nats';
import { eventStream, eventSubjectPrefix, logStream } from '../../events/model.ts';
import type { Config } from '../config.ts';
import { connectionOf, type Bus } from './bus.ts';

type StreamBounds = Pick<Config,
  'scope' | 'outboxRetentionHours' | 'eventStoreBytesMax' | 'logRetentionHours' | 'logStoreBytesMax' | 'logChunkBytesMax'>;

const productScope = 'muster';
const hourMs = 3_600_000;
/** A republish within two minutes is dropped by the server, later ones by the consumer's inbox (SV16). */
const duplicateWindowMs = 120_000;
/** A chunk travels as base64 in JSON: 4 bytes for 3, and a few fields around it. */
const chunkOnWire = (rawBytes: number): number => Math.ceil(rawBytes * 4 / 3) + 1_024;

/** Each scope has its own stream, so that the events of one test never reach another's consumers or fill its store. */
export const eventStreamName = (scope: string): string => (scope === productScope ? eventStream : `${eventStream}_${scope}`);
export const eventSubjects = (scope: string): string => `${eventSubjectPrefix}.${scope}.>`;
export const durableName = (scope: string, consumer: string): string => `${scope}-${consumer}`;

const streamNotFound = 10059;

/** @throws Error where JetStream is off, or has not the room that the bounds ask for: the process is not ready then (SV18) */
export async function ensureStreams(bus: Bus, config: StreamBounds): Promise<void> {
  await ensureEventStream(bus, config);
  await ensureLogStream(bus, config);
}

/** Refuses new messages when full: what is unpublished stays in Postgres, what is published is never pushed out unread. */
export async function ensureEventStream(bus: Bus, config: StreamBounds): Promise<void> {
  await ensureStream(await connectionOf(bus).jetstreamManager(), {
    name: eventStreamName(config.scope),
    subjects: [eventSubjects(config.scope)],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_bytes: config.eventStoreBytesMax,
    max_age: nanos(config.outboxRetentionHours * hourMs),
    duplicate_window: nanos(duplicateWindowMs),
  });
}

/** Pushes the oldest out: logs are not facts. */
export async function ensureLogStream(bus: Bus, config: StreamBounds): Promise<void> {
  await ensureStream(await connectionOf(bus).jetstreamManager(), {
    name: logStream,
    subjects: ['logs.>'],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: config.logStoreBytesMax,
    max_age: nanos(config.logRetentionHours * hourMs),
    max_msg_size: chunkOnWire(config.logChunkBytesMax),
    duplicate_window: nanos(duplicateWindowMs),
  });
}

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name'>;

async function ensureStream(manager: JetStreamManager, wanted: Wanted): Promise<void> {
  const found = await manager.streams.info(wanted.name).catch((error: unknown) => {
    if (error instanceof NatsError && error.api_error?.err_code === streamNotFound) return undefined;
    throw error;
  });
  if (!found) await manager.streams.add(wanted);
  else if (differs(found.config, wanted)) await manager.streams.update(wanted.name, wanted);
}

function differs(found: StreamConfig, wanted: Wanted): boolean {
  return (['max_bytes', 'max_age', 'max_msg_size', 'duplicate_window', 'discard'] as const)
    .some((name) => wanted[name] !== undefined && wanted[name] !== found[name]);
}
