/**
 * Core NATS for everyone else: JSON in, JSON out. This folder alone imports the package `nats`, and uses only what its
 * successor has too (docs/adr), so that the client can change without its callers.
 */
import { Events, type Msg, type NatsConnection } from 'nats';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { messageOf, openConnection } from './connection.ts';
import { decodeJson, encodeJson } from './json.ts';
import { Requests } from './requests.ts';

export interface Subscription {
  /** Takes nothing new and waits for the handlers under way. */
  close(): Promise<void>;
}

export interface RespondOptions {
  /** handlers under way at once; as many again wait, beyond that the oldest waiting request is dropped and its sender times out */
  readonly inFlightMax: number;
  /** larger requests reach the handler as `undefined` */
  readonly bytesMax: number;
}

export interface Bus {
  /** At most once: dropped while NATS is away, and when larger than NATS takes. Never throws. */
  publish(subject: string, value: unknown): void;
  /** @throws Error after timeoutMs, at once while NATS is away, when nobody listens, or when the value is too large */
  request(subject: string, value: unknown, timeoutMs: number): Promise<unknown>;
  /**
   * Answers requests; the processes that respond to one subject share them. The handler gets `undefined` for what
   * isn't JSON or is too large (JSON itself has no undefined); what it throws is logged and the sender times out.
   */
  respond(subject: string, handler: (value: unknown, subject: string) => Promise<unknown>, options: RespondOptions): Subscription;
  /** Hears everything on the subject, while connected. What isn't JSON is logged and skipped. */
  listen(subject: string, handler: (value: unknown, subject: string) => void): Subscription;
  /** Called after each reconnection: what was published meanwhile was missed. */
  onReconnect(effect: () => void): void;
  connected(): boolean;
  /** Until the server has everything published so far. */
  flush(): Promise<void>;
  /** Ends subscriptions, then the connection. */
  close(): Promise<void>;
}

export interface AgentConnection {
  readonly url: string;
  readonly user: string;
  /** a function is asked at each connection */
  readonly password: string | (() => string);
  readonly inboxPrefix: string;
  readonly name: string;
  /** ends the wait for the first connection */
  readonly signal?: AbortSignal;
}

type ControlConfig = Pick<Config, 'natsUrl' | 'natsUser' | 'natsPassword'>;

/** Connects a role of the control plane; waits until NATS answers. @param name shown in NATS' list of connections */
export async function connectControl(config: ControlConfig, log: Log, name: string, signal?: AbortSignal): Promise<Bus> {
  const { natsUrl: url, natsUser: user, natsPassword: password } = config;
  return busOver(await openConnection({ url, name, signal, ...(password ? { user, password } : {}) }, log), log);
}

/** Connects an agent with its own credential; waits until NATS answers and lets it in. */
export async function connectAgent(options: AgentConnection, log: Log): Promise<Bus> {
  return busOver(await openConnection(options, log), log);
}

const connections = new WeakMap<Bus, NatsConnection>();

/** For the other files of this folder only. */
export function connectionOf(bus: Bus): NatsConnection {
  const connection = connections.get(bus);
  if (!connection) throw new Error('not a bus of this room');
  return connection;
}

function busOver(connection: NatsConnection, log: Log): Bus {
  let isConnected = true;
  const onReconnects: (() => void)[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) isConnected = false;
      if (status.type === Events.Reconnect) {
        isConnected = true;
        for (const effect of onReconnects) effect();
      }
    }
  })();
  const bytesMax = (): number => connection.info?.max_payload ?? 1_048_576;

  const bus: Bus = {
    publish(subject, value) {
      // The client would keep it in memory until NATS is back, without a bound.
      if (!isConnected) return;
      try {
        const data = encodeJson(value);
        if (data.length > bytesMax()) log.error({ subject, bytes: data.length }, 'message too large for NATS, not sent');
        else connection.publish(subject, data);
      } catch (error) {
        log.warn({ subject, error: messageOf(error) }, 'message not sent');
      }
    },
    async request(subject, value, timeoutMs) {
      if (!isConnected) throw new Error('NATS is away');
      const data = encodeJson(value);
      if (data.length > bytesMax()) throw new Error(`a request of ${data.length} bytes is larger than the ${bytesMax()} that NATS takes`);
      const reply = await connection.request(subject, data, { timeout: timeoutMs });
      return decodeJson(reply.data);
    },
    respond(subject, handler, options) {
      const requests = new Requests<Msg>(options, (message) => answer(message, handler, options.bytesMax));
      const subscription = connection.subscribe(subject, {
        queue: 'muster',
        callback: (error, message) => { if (!error) requests.take(message); },
      });
      return { close: async () => { subscription.unsubscribe(); await requests.idle(); } };
    },
    listen(subject, handler) {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => { if (!error) hear(message, handler); },
      });
      return { close: async () => subscription.unsubscribe() };
    },
    onReconnect: (effect) => void onReconnects.push(effect),
    connected: () => isConnected && !connection.isClosed(),
    flush: () => connection.flush(),
    close: () => (isConnected ? connection.drain() : connection.close()),
  };

  async function answer(message: Msg, handler: (value: unknown, subject: string) => Promise<unknown>, requestBytesMax: number): Promise<void> {
    try {
      const reply = encodeJson(await handler(readRequest(message, requestBytesMax), message.subject));
      if (reply.length > bytesMax()) log.error({ subject: message.subject, bytes: reply.length }, 'reply too large for NATS, not sent');
      else message.respond(reply);
    } catch (error) {
      log.error({ subject: message.subject, error: messageOf(error) }, 'request not answered');
    }
  }

  function readRequest(message: Msg, requestBytesMax: number): unknown {
    if (message.data.length > requestBytesMax) return undefined;
    try {
      return decodeJson(message.data);
    } catch {
      return undefined;
    }
  }

  function hear(message: Msg, handler: (value: unknown, subject: string) => void): void {
    try {
      handler(decodeJson(message.data), message.subject);
    } catch (error) {
      log.warn({ subject: message.subject, error: messageOf(error) }, 'message skipped');
    }
  }

  connections.set(bus, connection);
  return bus;
}
