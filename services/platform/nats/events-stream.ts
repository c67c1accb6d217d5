/** Published events: acknowledged publishing by the relay, durable consuming by whoever reacts. */
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, nanos, NatsError, type ConsumerMessages, type JsMsg, type NatsConnection } from 'nats';
import type { Log } from '../log.ts';
import { connectionOf, type Bus, type Subscription } from './bus.ts';
import { messageOf } from './connection.ts';
import { decodeJson, encodeJson } from './json.ts';
import { durableName, eventStreamName } from './streams.ts';

const publishTimeoutMs = 5_000;
/** Refusals of a full stream or of a server without room: maximum bytes, maximum messages, resources. */
const fullCodes: ReadonlySet<number> = new Set([10077, 10023, 10047]);

/** The stream takes no new message until its bound is raised or messages expire. */
export class StreamFullError extends Error {
  override readonly name = 'StreamFullError';
}

/**
 * @param messageId  the server drops a second one of the same id within the duplicate window
 * @returns whether it was such a duplicate
 * @throws StreamFullError · Error when NATS is away or too slow
 */
export async function publishEvent(bus: Bus, subject: string, messageId: string, value: unknown): Promise<{ readonly duplicate: boolean }> {
  if (!bus.connected()) throw new Error('NATS is away');
  try {
    const { duplicate } = await connectionOf(bus).jetstream().publish(subject, encodeJson(value), { msgID: messageId, timeout: publishTimeoutMs });
    return { duplicate };
  } catch (error) {
    const code = error instanceof NatsError ? error.api_error?.err_code : undefined;
    if (code !== undefined && fullCodes.has(code)) throw new StreamFullError(messageOf(error));
    throw error;
  }
}

export interface Delivery {
  /** undefined: not JSON */
  readonly value: unknown;
  readonly messageId: string;
  /** 1 the first time */
  readonly deliveries: number;
  /** Tells the server that it is still being worked on, which restarts the wait for its acknowledgement. */
  working(): void;
}

/** done: never again · retry: again after a while · poison: never again, it has been put aside */
export type Verdict = { readonly kind: 'done' } | { readonly kind: 'poison'; readonly reason: string } | { readonly kind: 'retry'; readonly afterMs: number };

export interface ConsumeOptions {
  readonly scope: string;
  readonly consumer: string;
  readonly filterSubjects: readonly string[];
  readonly inFlightMax: number;
}

/** Twice a call to Temporal: what a killed consumer had in hand comes to another one that soon. */
const ackWaitMs = 10_000;
/** One pull asks that long; a stalled one is given up a little later, so no stall outlives this (nats.node#570, nats.node#649). */
const pullMs = 10_000;
const pullOverdueMs = pullMs + 5_000;
const retryWaitMinMs = 100;
const retryWaitSpreadMs = 900;

/**
 * Consumes durably until closed. The consumer is made where it is missing, also when somebody deleted it meanwhile.
 *
 * The server's own delivery limit is off: it would stop delivering a message whose dead letter could not be written.
 *
 * @param handle  decides about one delivery; what it throws is logged and delivered again
 */
export function consumeEvents(bus: Bus, log: Log, options: ConsumeOptions, handle: (delivery: Delivery) => Promise<Verdict>): Subscription {
  const consumption = new Consumption(connectionOf(bus), log, options, handle);
  const running = consumption.run();
  return { close: async () => { await consumption.stop(); await running; } };
}

class Consumption {
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #options: ConsumeOptions;
  readonly #handle: (delivery: Delivery) => Promise<Verdict>;
  readonly #ending = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();
  #pull: ConsumerMessages | undefined;

  constructor(connection: NatsConnection, log: Log, options: ConsumeOptions, handle: (delivery: Delivery) => Promise<Verdict>) {
    this.#connection = connection;
    this.#log = log;
    this.#options = options;
    this.#handle = handle;
  }

  async run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await this.#pullUntilFault();
      } catch (error) {
        if (this.#ending.signal.aborted) break;
        this.#log.warn({ consumer: this.#options.consumer, error: messageOf(error) }, 'consuming events failed, trying again');
        await delay(retryWaitMinMs + Math.random() * retryWaitSpreadMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      }
    }
    await Promise.all(this.#inFlight);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#pull?.close();
  }

  async #pullUntilFault(): Promise<void> {
    const consumer = await this.#openConsumer();
    while (!this.#ending.signal.aborted) {
      const free = this.#options.inFlightMax - this.#inFlight.size;
      if (free === 0) {
        await Promise.race(this.#inFlight);
        continue;
      }
      await this.#pullOnce(await consumer.fetch({ max_messages: free, expires: pullMs }));
      // A deleted consumer answers nothing at all: only asking for it tells.
      if (this.#connection.isClosed()) throw new Error('the connection is closed');
      await consumer.info();
    }
  }

  async #pullOnce(messages: ConsumerMessages): Promise<void> {
    this.#pull = messages;
    const overdue = setTimeout(() => void messages.close(), pullOverdueMs);
    try {
      if (this.#ending.signal.aborted) await messages.close();
      for await (const message of messages) this.#start(message);
    } finally {
      clearTimeout(overdue);
      this.#pull = undefined;
    }
  }

  #start(message: JsMsg): void {
    const handling = this.#decide(message).finally(() => this.#inFlight.delete(handling));
    this.#inFlight.add(handling);
  }

  async #decide(message: JsMsg): Promise<void> {
    try {
      const verdict = await this.#handle(toDelivery(message));
      if (verdict.kind === 'retry') message.nak(verdict.afterMs);
      else if (verdict.kind === 'poison') message.term(verdict.reason);
      else await message.ackAck();
    } catch (error) {
      // Neither acknowledged nor refused: the server delivers it again after ackWaitMs.
      this.#log.warn({ consumer: this.#options.consumer, subject: message.subject, error: messageOf(error) }, 'delivery not settled');
    }
  }

  async #openConsumer() {
    const { scope, consumer, filterSubjects, inFlightMax } = this.#options;
    const stream = eventStreamName(scope);
    const name = durableName(scope, consumer);
    const manager = await this.#connection.jetstreamManager();
    await manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      deliver_policy: DeliverPolicy.All,
      max_deliver: -1,
      max_ack_pending: inFlightMax * 4,
      filter_subjects: [...filterSubjects],
    });
    return this.#connection.jetstream().consumers.get(stream, name);
  }
}

function toDelivery(message: JsMsg): Delivery {
  let value: unknown;
  try {
    value = decodeJson(message.data);
  } catch {
    value = undefined;
  }
  return {
    value,
    messageId: message.headers?.get('Nats-Msg-Id') ?? '',
    deliveries: message.info.deliveryCount,
    working: () => message.working(),
  };
}
