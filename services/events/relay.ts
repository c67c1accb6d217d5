/** Publishes the outbox to the stream, from a cursor of its own (design.md §3.1). */
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import type { Leadership } from '../platform/leader.ts';
import type { Log } from '../platform/log.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { publishEvent, StreamFullError } from '../platform/nats/events-stream.ts';
import { ensureEventStream } from '../platform/nats/streams.ts';
import { moveCursor, readCursor } from './cursor.ts';
import { follow } from './follow.ts';
import { messageId, subjectOf, toMessage } from './message.ts';
import type { SequencedEvent } from './model.ts';
import { openEventSource } from './source.ts';

export const relayReader = 'relay';

export interface RelayDeps {
  /** told of rows that the stream has acknowledged */
  readonly onPublished?: (rows: number) => void;
  readonly db: Db;
  readonly bus: Bus;
  readonly log: Log;
  readonly config: Pick<Config, 'pollMs' | 'relayBatchRowsMax' | 'scope' | 'outboxRetentionHours' | 'eventStoreBytesMax' | 'logRetentionHours' | 'logStoreBytesMax' | 'logChunkBytesMax'>;
}

/**
 * Publishes until the leadership is over. Publishing comes first, outside any transaction, then the cursor: a relay
 * killed between the two publishes the same ids again, which the server drops within its window and each consumer's
 * inbox after it. The lease only saves double work; two relays at once would lose nothing.
 */
export async function leadRelaying(deps: RelayDeps, { over }: Pick<Leadership, 'over'>): Promise<void> {
  const { db, bus, log, config } = deps;
  const { pos, incarnation } = await readCursor(db, relayReader);
  await ensureEventStream(bus, config);
  const options = { bus: () => bus, source: openEventSource(db), log, pollMs: config.pollMs, batchRowsMax: config.relayBatchRowsMax, signal: over };
  await follow(options, pos, (events) => relayBatch(deps, events, incarnation));
}

/** @returns the cursor: the last event before the first that the stream did not take */
export async function relayBatch(deps: RelayDeps, events: readonly SequencedEvent[], incarnation: number): Promise<bigint> {
  const { db, bus, log, config } = deps;
  const outcomes = await Promise.allSettled(events.map((event) =>
    publishEvent(bus, subjectOf(config.scope, event), messageId(event.pos, incarnation), toMessage(event, incarnation))));
  const firstFailed = outcomes.findIndex((outcome) => outcome.status === 'rejected');
  const taken = firstFailed === -1 ? events.length : firstFailed;
  const before = (events[0]?.pos ?? 1n) - 1n;
  const cursor = events[taken - 1]?.pos ?? before;
  if (taken > 0) await moveCursor(db, relayReader, cursor);
  deps.onPublished?.(taken);
  const failure = outcomes[firstFailed];
  if (failure?.status === 'rejected') alarm(log, failure.reason, cursor);
  return cursor;
}

function alarm(log: Log, reason: unknown, cursor: bigint): void {
  if (reason instanceof StreamFullError) {
    log.error({ alarm: 'event_stream_full', publishedUpTo: cursor.toString(), error: reason.message },
      'the event stream is full: raise MUSTER_EVENT_STORE_BYTES_MAX or let messages expire; events wait in Postgres, none is lost');
  } else {
    log.warn({ publishedUpTo: cursor.toString(), error: reason instanceof Error ? reason.message : String(reason) }, 'publishing was interrupted');
  }
}
