/** Publishing: at least once to the stream, once in effect. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCursor } from '#services/events/cursor.ts';
import { dispatcherConsumer, startDispatcher } from '#services/events/dispatch.ts';
import { messageId, subjectOf, toMessage } from '#services/events/message.ts';
import { leadRelaying, relayBatch, relayReader } from '#services/events/relay.ts';
import { openEventSource } from '#services/events/source.ts';
import { connectionOf } from '#services/platform/nats/bus.ts';
import { publishEvent } from '#services/platform/nats/events-stream.ts';
import { ensureEventStream, eventStreamName } from '#services/platform/nats/streams.ts';
import { append, jobEventOf, openEventWorld, until, WritingSupervisor, type EventWorld } from '#test/setup/events.ts';

let world: EventWorld;
beforeEach(async () => { world = await openEventWorld(); });
afterEach(() => world.close());

const stored = async (): Promise<number> =>
  (await (await connectionOf(world.bus).jetstreamManager()).streams.info(eventStreamName(world.config.scope))).state.messages;

it('SV16 a relay that died between publishing and its cursor publishes the same ids again: stored once, applied once', async () => {
  await append(world.db, jobEventOf('job_a', 1n), jobEventOf('job_b', 1n));
  const events = await openEventSource(world.db).after(0n, 10);
  for (const event of events) {
    await publishEvent(world.bus, subjectOf(world.config.scope, event), messageId(event.pos, 1), toMessage(event, 1));
  }
  const { pos, incarnation } = await readCursor(world.db, relayReader);
  expect(pos).toBe(0n);
  expect(await relayBatch(world, events, incarnation)).toBe(2n);
  expect(await stored()).toBe(2);
  expect((await readCursor(world.db, relayReader)).pos).toBe(2n);
});

it('SV16 SV20 what the stream stores twice, after its window, takes effect once', async () => {
  await append(world.db, jobEventOf('job_a', 1n));
  const [event] = await openEventSource(world.db).after(0n, 10);
  const supervisor = new WritingSupervisor();
  const dispatcher = startDispatcher({ ...world, supervisor });
  // Another id is what the server makes of the same one after its window.
  for (const id of ['1-1', '1-1-later']) await publishEvent(world.bus, subjectOf(world.config.scope, event!), id, toMessage(event!, 1));
  await settled(2);
  await dispatcher.close();
  expect(await stored()).toBe(2);
  expect(supervisor.told).toHaveLength(1);
});

it('a full stream refuses, and nothing is lost: it goes on when there is room', async () => {
  const small = { ...world.config, eventStoreBytesMax: 1_048_576 };
  await ensureEventStream(world.bus, small);
  const over = new AbortController();
  const filler = 'x'.repeat(100_000);
  for (let n = 0; n < 20; n++) await append(world.db, jobEventOf(`job_${n}`, 1n, 'job.changed', { filler }));
  const relaying = leadRelaying({ ...world, config: small }, { over: over.signal });
  const cursor = async (): Promise<bigint> => (await readCursor(world.db, relayReader)).pos;
  await until(async () => (await cursor()) >= 5n);
  expect(await cursor()).toBeLessThan(20n);
  await ensureEventStream(world.bus, world.config);
  await until(async () => (await cursor()) === 20n);
  over.abort();
  await relaying;
  expect(await stored()).toBe(20);
});

it('SV18 a consumer of a stream that is missing takes up its work when the stream is there', async () => {
  await (await connectionOf(world.bus).jetstreamManager()).streams.delete(eventStreamName(world.config.scope));
  const supervisor = new WritingSupervisor();
  const dispatcher = startDispatcher({ ...world, supervisor });
  await append(world.db, jobEventOf('job_a', 1n));
  const over = new AbortController();
  const relaying = leadRelaying(world, { over: over.signal });
  await until(() => supervisor.told.length === 1);
  over.abort();
  await Promise.all([relaying, dispatcher.close()]);
});

it('messages of another life of the database change nothing', async () => {
  await append(world.db, jobEventOf('job_a', 1n));
  const [event] = await openEventSource(world.db).after(0n, 10);
  const supervisor = new WritingSupervisor();
  const dispatcher = startDispatcher({ ...world, supervisor });
  await publishEvent(world.bus, subjectOf(world.config.scope, event!), '7-1', toMessage({ ...event!, key: 'job/job_old' }, 7));
  await publishEvent(world.bus, subjectOf(world.config.scope, event!), '1-1', toMessage(event!, 1));
  await settled(2);
  await dispatcher.close();
  expect(supervisor.told.map(({ job }) => job)).toEqual(['job_a']);
});

/** Until the consumer has acknowledged that many. */
async function settled(count: number): Promise<void> {
  const manager = await connectionOf(world.bus).jetstreamManager();
  await until(async () => {
    const info = await manager.consumers.info(eventStreamName(world.config.scope), `${world.config.scope}-${dispatcherConsumer}`).catch(() => undefined);
    return info?.ack_floor.stream_seq === count;
  });
}
