/** The relay role: publishes the outbox (one leader), dispatches job events to supervision, keeps retention. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { startDispatcher } from '../events/dispatch.ts';
import { leadRelaying } from '../events/relay.ts';
import { retainEvents } from '../events/retention.ts';
import { wakeReadersOver } from '../events/wake.ts';
import { leadWhenever, type Leadership } from '../platform/leader.ts';
import { connectControl, type Bus } from '../platform/nats/bus.ts';
import { ensureStreams } from '../platform/nats/streams.ts';
import { openTemporal } from '../platform/temporal.ts';
import { measureDelivery, measurePublished, watchDispatcher } from './measure.ts';
import { aborted, repeat, runProcess, type Role } from './process.ts';

/** Partitions are daily and bounds hourly: a minute is soon enough, and a failed turn is made up for soon. */
const retentionPauseMs = 60_000;
const streamWaitMs = 1_000;

/**
 * Waits for NATS at the start, then runs until the signal. Postgres, NATS or Temporal away is waited out by each part
 * on its own: events stay in the outbox, or in the stream.
 */
export async function runRelay(role: Role): Promise<void> {
  const { config, db, log, signal, onReady } = role;
  const bus = await connectControl(config, log, 'relay', signal);
  if (!(await streamsAreThere(role, bus))) return bus.close();
  wakeReadersOver(bus);
  const supervisor = openTemporal(config, log);
  const dispatcher = startDispatcher({ db, bus, log, supervisor, config, onSettled: measureDelivery });
  const unwatch = watchDispatcher(bus, config);
  const holder = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const relaying = leadWhenever(db, { name: 'relay', holder, leaseMs: config.leaderLeaseMs, log, signal },
    (leadership) => lead(role, bus, leadership));
  log.info({ nats: config.natsUrl, temporal: config.temporalAddress }, 'relay follows the outbox');
  onReady?.();
  await aborted(signal);
  unwatch();
  await Promise.all([dispatcher.close(), relaying]);
  await supervisor.close();
  await bus.close();
}

async function lead({ config, db, log }: Role, bus: Bus, { over }: Leadership): Promise<void> {
  const ended = new AbortController();
  const retaining = repeat('retention of events', retentionPauseMs, { log, signal: AbortSignal.any([over, ended.signal]) }, async () => {
    const result = await retainEvents(db, config);
    if (result.partitionsMade + result.partitionsDropped + result.rowsDeleted > 0) log.info(result, 'retention of events');
  });
  try {
    await leadRelaying({ db, bus, log, config, onPublished: measurePublished }, { over });
  } finally {
    ended.abort();
    await retaining;
  }
}

/** SV18: a consumer of a stream that isn't there fails in odd ways, so the role isn't ready before. @returns false: told to end */
async function streamsAreThere({ config, log, signal }: Role, bus: Bus): Promise<boolean> {
  const there = new AbortController();
  const waiting = AbortSignal.any([there.signal, signal]);
  await repeat('making the streams', streamWaitMs, { log, signal: waiting }, async () => {
    await ensureStreams(bus, config);
    there.abort();
  });
  return !signal.aborted;
}

if (import.meta.main) await runProcess('relay', runRelay);
