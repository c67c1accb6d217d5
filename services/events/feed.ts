/** One reading of the outbox a process, for all its clients that have caught up. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { follow } from './follow.ts';
import type { SequencedEvent } from './model.ts';
import { openEventSource, type EventSource } from './source.ts';

const batchRowsMax = 500;

export interface FeedDeps {
  readonly db: Db;
  readonly log: Log;
  readonly config: Pick<Config, 'pollMs'>;
  /** undefined until NATS has answered for the first time: until then the feed polls */
  readonly bus: () => Bus | undefined;
}

export interface Listener {
  take(event: SequencedEvent): void;
  /** the feed lost its place: read from Postgres again */
  cut(): void;
}

export class EventFeed {
  readonly #deps: FeedDeps;
  readonly #source: EventSource;
  readonly #ending = new AbortController();
  readonly #listeners = new Set<Listener>();
  /** everything up to here was handed to the listeners */
  #head: bigint | undefined;
  #following: Promise<void> | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    this.#source = openEventSource(deps.db);
  }

  /**
   * From now on `listener` gets everything after `pos`. Synchronous, so that nothing comes in between.
   *
   * @returns how to leave; undefined, while `pos` is behind the feed: read on from Postgres, then ask again
   */
  join(pos: bigint, listener: Listener): (() => void) | undefined {
    this.#following ??= this.#follow();
    if (this.#head === undefined || pos < this.#head) return undefined;
    const later: Listener = { take: (event) => { if (event.pos > pos) listener.take(event); }, cut: () => listener.cut() };
    this.#listeners.add(later);
    return () => this.#listeners.delete(later);
  }

  /** Until the feed knows where it stands, which needs the database. */
  async ready(signal: AbortSignal): Promise<void> {
    this.#following ??= this.#follow();
    while (this.#head === undefined && !signal.aborted) await pause(startPollMs, signal);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { log, bus, config } = this.#deps;
    const signal = this.#ending.signal;
    while (!signal.aborted) {
      try {
        const start = await this.#source.position();
        this.#head = start;
        await follow({ bus, source: this.#source, log, pollMs: config.pollMs, batchRowsMax, signal }, start, async (events) => this.#take(events));
      } catch (error) {
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'the event feed starts anew');
        this.#head = undefined;
        for (const listener of this.#listeners) listener.cut();
        this.#listeners.clear();
        await pause(restartMs, signal);
      }
    }
  }

  #take(events: readonly SequencedEvent[]): bigint {
    for (const event of events) {
      this.#head = event.pos;
      for (const listener of this.#listeners) listener.take(event);
    }
    return this.#head ?? 0n;
  }
}

const startPollMs = 5;
const restartMs = 500;

const pause = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);
