/** A world with the event stream of its own scope, a bus, and a supervisor that writes down what it is told. */
import { setTimeout as delay } from 'node:timers/promises';
import { appendEvent } from '#services/events/append.ts';
import { jobKey, type Event, type EventKind, type EventPayload } from '#services/events/model.ts';
import { wakeReadersOver } from '#services/events/wake.ts';
import type { Wake } from '#services/jobs/model.ts';
import type { Environment } from '#services/platform/config.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { connectControl, connectionOf, type Bus } from '#services/platform/nats/bus.ts';
import { ensureStreams, eventStreamName } from '#services/platform/nats/streams.ts';
import type { Supervisor } from '#services/platform/temporal.ts';
import { openWorld, type World } from './world.ts';

export interface EventWorld extends World {
  readonly bus: Bus;
}

export async function openEventWorld(settings: Environment = {}): Promise<EventWorld> {
  const world = await openWorld(settings);
  const bus = await connectControl(world.config, world.log, 'test');
  await ensureStreams(bus, world.config);
  wakeReadersOver(bus);
  return {
    ...world,
    bus,
    close: async () => {
      await (await connectionOf(bus).jetstreamManager()).streams.delete(eventStreamName(world.config.scope)).catch(() => false);
      await bus.close();
      await world.close();
    },
  };
}

export const jobEventOf = (job: string, version: bigint, kind: EventKind = 'job.changed', payload: EventPayload = {}): Event =>
  ({ key: jobKey(job), version, kind, payload: { job, team: 'team_00000000000000000000000000', state: 'RUNNING', epoch: '4294967297', reason: null, ...payload } });

export const append = (db: Db, ...events: readonly Event[]): Promise<void> => inTransaction(db, (tx) => appendEvent(tx, ...events));

/** A row that the dispatcher finds when it starts supervision. */
export async function insertPlacedJob(db: Db, id: string): Promise<void> {
  await db.insertInto('job').values({
    id, team_id: 'team_00000000000000000000000000', name: 'digits', spec: JSON.stringify({ devicesPerMember: 2 }), state: 'RESERVED',
    members: 2, priority: 500, exclusive: false, preemptible: false, epoch: 4294967297n,
  }).execute();
}

export interface Told { readonly call: 'start' | 'signal'; readonly job: string; readonly wake: Wake }

/** The far side of the dispatcher, without Temporal: what it was told, and on request a refusal. */
export class WritingSupervisor implements Pick<Supervisor, 'start' | 'signal'> {
  readonly told: Told[] = [];
  refuse: (told: Told) => Error | undefined = () => undefined;

  async start(job: string, wake: Wake): Promise<void> { this.#take({ call: 'start', job, wake }); }

  async signal(job: string, wake: Wake): Promise<'signalled'> {
    this.#take({ call: 'signal', job, wake });
    return 'signalled';
  }

  #take(told: Told): void {
    const refusal = this.refuse(told);
    if (refusal) throw refusal;
    this.told.push(told);
  }
}

/** Waits for a condition; the test's own time-out ends it. */
export async function until<T>(ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    await delay(20);
  }
}
