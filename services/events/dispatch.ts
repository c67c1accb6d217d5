/**
 * The dispatcher: turns job events into supervision (design.md §3.4). `job.placed` starts the job's run or wakes it;
 * every other one only wakes, and no run to wake counts as done (P26). Runs read the row, so an event may come twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { readPlacementFacts } from '../jobs/placement-facts.ts';
import type { Wake } from '../jobs/model.ts';
import { isAway } from '../platform/away.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { Bus, Subscription } from '../platform/nats/bus.ts';
import { consumeEvents, type Delivery, type Verdict } from '../platform/nats/events-stream.ts';
import type { Supervisor } from '../platform/temporal.ts';
import { putAside } from './dead-letters.ts';
import { recordHandled, standingOf } from './inbox.ts';
import { parseMessage, positionOf, toMessage, type EventMessage } from './message.ts';
import { eventSubjectPrefix, type JobEventPayload } from './model.ts';
import { readEvent } from './read.ts';
import { followRedriven } from './redriven.ts';

export const dispatcherConsumer = 'dispatcher';

/** Calls to Temporal under way at once: it starts some dozens a second, and the database pool is as small. */
const inFlightMax = 32;
const retryMinMs = 200;
const retryMaxMs = 30_000;
const awayWaitMinMs = 200;
const awayWaitMaxMs = 2_000;

export interface DispatchDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly log: Log;
  readonly supervisor: Pick<Supervisor, 'start' | 'signal'>;
  readonly config: Pick<Config, 'scope' | 'deliverMax' | 'pollMs'>;
  readonly onSettled?: (verdict: Verdict['kind']) => void;
}

/** Dispatches until closed. Any number may run: they share one durable consumer. */
export function startDispatcher(deps: DispatchDeps): Subscription {
  const ending = new AbortController();
  const subject = (kind: string): string => `${eventSubjectPrefix}.${deps.config.scope}.${kind}.>`;
  const consuming = consumeEvents(deps.bus, deps.log, {
    scope: deps.config.scope,
    consumer: dispatcherConsumer,
    // Not job.submitted: before its first placement a job has no run to tell, and there may be 100,000 of them.
    filterSubjects: ['job.placed', 'job.changed', 'job.attention'].map(subject),
    inFlightMax,
  }, async (delivery) => {
    const verdict = await settle(deps, delivery, ending.signal);
    deps.onSettled?.(verdict.kind);
    return verdict;
  });
  const redriving = followRedriven({ ...deps, consumer: dispatcherConsumer, signal: ending.signal }, (message) => dispatch(deps, message));
  return {
    close: async () => {
      ending.abort();
      await Promise.all([consuming.close(), redriving]);
    },
  };
}

/**
 * Handles one delivery to its verdict. While Postgres or Temporal is away it is kept in hand and tried again: an outage
 * is no fault of the event, and must not fill the dead letters.
 */
async function settle(deps: DispatchDeps, delivery: Delivery, ending: AbortSignal): Promise<Verdict> {
  for (let waits = 0; !ending.aborted; waits++) {
    try {
      return await attempt(deps, delivery);
    } catch (error) {
      if (!isAway(error)) throw error;
      deps.log.warn({ id: delivery.messageId, error: describe(error) }, 'an event waits: Postgres or Temporal is away');
      delivery.working();
      const waitMs = Math.min(awayWaitMaxMs, awayWaitMinMs * 2 ** Math.min(waits, 10)) * (0.5 + Math.random() / 2);
      await delay(waitMs, undefined, { signal: ending }).catch(() => undefined);
    }
  }
  return { kind: 'retry', afterMs: 0 };
}

async function attempt(deps: DispatchDeps, delivery: Delivery): Promise<Verdict> {
  const message = parseMessage(delivery.value);
  if (!message) return putUnreadableAside(deps, delivery);
  try {
    await dispatch(deps, message);
    return { kind: 'done' };
  } catch (error) {
    if (isAway(error)) throw error;
    deps.log.warn({ key: message.key, pos: message.pos, deliveries: delivery.deliveries, error: describe(error) }, 'an event was not dispatched');
    if (delivery.deliveries < deps.config.deliverMax) return { kind: 'retry', afterMs: Math.min(retryMaxMs, retryMinMs * 2 ** (delivery.deliveries - 1)) };
    await putAside(deps.db, { consumer: dispatcherConsumer, message, error: describe(error), deliveries: delivery.deliveries });
    return { kind: 'poison', reason: 'put aside as a dead letter' };
  }
}

/** Not one of ours, or damaged: the row it stands for, if any, becomes the dead letter. */
async function putUnreadableAside({ db, log }: DispatchDeps, delivery: Delivery): Promise<Verdict> {
  const pos = positionOf(delivery.messageId);
  const event = pos === undefined ? undefined : await readEvent(db, pos);
  log.error({ id: delivery.messageId }, 'a message on the event stream is no event');
  if (event) {
    const { incarnation } = await db.selectFrom('cluster').select('incarnation').executeTakeFirstOrThrow();
    await putAside(db, { consumer: dispatcherConsumer, message: toMessage(event, incarnation), error: 'the message is no event', deliveries: delivery.deliveries });
  }
  return { kind: 'poison', reason: 'not an event' };
}

/** The effect and its record. The effect is outside of Postgres and comes first: twice is harmless, never is not. */
async function dispatch({ db, supervisor, log }: DispatchDeps, message: EventMessage): Promise<void> {
  const standing = await standingOf(db, dispatcherConsumer, message);
  if (standing === 'handled' || standing === 'foreign') return log.debug({ pos: message.pos, standing }, 'event dropped');
  if (standing === 'new') await tell({ db, supervisor }, message);
  await recordHandled(db, dispatcherConsumer, message);
}

async function tell({ db, supervisor }: Pick<DispatchDeps, 'db' | 'supervisor'>, message: EventMessage): Promise<void> {
  const { job, epoch, state } = jobPayload(message);
  const wake: Wake = { epoch, version: message.version, state };
  if (message.kind !== 'job.placed') {
    await supervisor.signal(job, wake);
    return;
  }
  const facts = await readPlacementFacts(db, job);
  if (!facts) throw new Error(`there is no job ${job}`);
  await supervisor.start(job, { ...wake, ...facts });
}

function jobPayload(message: EventMessage): JobEventPayload {
  const { job, epoch, state } = message.payload;
  if (typeof job !== 'string' || typeof epoch !== 'string' || typeof state !== 'string') throw new Error(`the payload of ${message.key} names no job, epoch and state`);
  return message.payload as JobEventPayload;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
