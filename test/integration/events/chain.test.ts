/** From the commit to supervision: outbox → sequencer → relay → JetStream → dispatcher (design.md §3.1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startDispatcher } from '#services/events/dispatch.ts';
import { leadRelaying } from '#services/events/relay.ts';
import type { Subscription } from '#services/platform/nats/bus.ts';
import { append, insertPlacedJob, jobEventOf, openEventWorld, until, WritingSupervisor, type EventWorld } from '#test/setup/events.ts';

describe('an event on its way', () => {
  let world: EventWorld;
  let supervisor: WritingSupervisor;
  let dispatcher: Subscription;
  let relaying: Promise<void>;
  let over: AbortController;

  beforeEach(async () => {
    world = await openEventWorld({ MUSTER_POLL_MS: '60000' });
    supervisor = new WritingSupervisor();
    dispatcher = startDispatcher({ ...world, supervisor });
    over = new AbortController();
    relaying = leadRelaying(world, { over: over.signal });
  });
  afterEach(async () => {
    over.abort();
    await Promise.all([relaying, dispatcher.close()]);
    await world.close();
  });

  // The poll is a minute, the test's own limit 30 s: a hop that waited for its poll would fail it.
  it('reaches supervision by wakes alone, again and again', async () => {
    for (let version = 1n; version <= 20n; version++) {
      await append(world.db, jobEventOf('job_a', version));
      await until(() => supervisor.told.length === Number(version));
    }
    expect(supervisor.told.map(({ wake }) => wake.version)).toEqual(Array.from({ length: 20 }, (_, index) => String(index + 1)));
  });

  it('P26 placed starts supervision with what the row says, everything else only wakes it', async () => {
    await insertPlacedJob(world.db, 'job_b');
    await append(world.db, jobEventOf('job_b', 1n, 'job.submitted'), jobEventOf('job_b', 2n, 'job.placed'), jobEventOf('job_b', 3n), jobEventOf('job_b', 3n, 'job.attention'));
    await until(() => supervisor.told.length === 3);
    const told = supervisor.told.map(({ call, wake }) => `${call} ${wake.version}`).sort();
    expect(told).toEqual(['signal 3', 'signal 3', 'start 2']);
  });

  it('of many readers none loses an event or gets it twice', async () => {
    const second = startDispatcher({ ...world, supervisor });
    await Promise.all(Array.from({ length: 300 }, (_, index) => append(world.db, jobEventOf(`job_${index}`, 1n))));
    await until(() => supervisor.told.length >= 300);
    await second.close();
    expect(new Set(supervisor.told.map(({ job }) => job)).size).toBe(300);
    expect(supervisor.told.length).toBe(300);
  });
});
