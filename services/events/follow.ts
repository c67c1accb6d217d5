/** Follows the outbox: sequence, read after the cursor, hand over, wait to be woken. */
import { Latch } from '../platform/latch.ts';
import type { Log } from '../platform/log.ts';
import type { Bus, Subscription } from '../platform/nats/bus.ts';
import type { SequencedEvent } from './model.ts';
import type { EventSource } from './source.ts';
import { openOnWakes } from './wake.ts';

export interface FollowOptions {
  /** undefined while NATS has not answered yet: until then it polls */
  readonly bus: () => Bus | undefined;
  readonly source: EventSource;
  readonly log: Log;
  /** a missed wake costs at most this */
  readonly pollMs: number;
  readonly batchRowsMax: number;
  /** ends it */
  readonly signal: AbortSignal;
}

/**
 * Hands over everything after `pos`, in order, until the signal. A failure of the database or of `handle` is logged
 * and the same events are tried again after a jittered pause: it never ends by itself, but for `gone`.
 *
 * @param handle  returns the cursor to go on from: the last event's pos, or less where it could not take all
 * @throws `gone` 410, when what follows the cursor has been dropped by retention
 */
export async function follow(options: FollowOptions, pos: bigint, handle: (events: readonly SequencedEvent[]) => Promise<bigint>): Promise<void> {
  const { bus, source, log, pollMs, batchRowsMax, signal } = options;
  const woken = new Latch();
  let wakes: Subscription | undefined;
  let cursor = pos;
  let failures = 0;
  try {
    while (!signal.aborted) {
      wakes ??= listenFor(bus(), woken);
      try {
        const events = await source.after(cursor, batchRowsMax);
        const last = events.at(-1)?.pos ?? cursor;
        if (events.length > 0) cursor = await handle(events);
        if (cursor < last) throw new Error(`events after ${cursor} were not taken`);
        failures = 0;
        if (events.length < batchRowsMax) await woken.wait(pollMs, signal);
      } catch (error) {
        if (isGone(error)) throw error;
        failures += 1;
        log.warn({ after: cursor.toString(), error: error instanceof Error ? error.message : String(error) }, 'following events was interrupted; trying again');
        await pause(failures, signal);
      }
    }
  } finally {
    await wakes?.close();
  }
}

const listenFor = (bus: Bus | undefined, woken: Latch): Subscription | undefined => bus && openOnWakes(bus, woken);

const pauseMinMs = 100;
const pauseMaxMs = 5_000;

async function pause(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(pauseMaxMs, pauseMinMs * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);
  // A latch that nobody opens: a wake must not turn the pause into a tight loop.
  await new Latch().wait(ms, signal);
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'gone';
