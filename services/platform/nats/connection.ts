/**
 * One connection to NATS a process. It reconnects for ever: NATS away is an ordinary event, and a client that gave up
 * would have to be restarted by hand (nats.go#1622).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { connect, Events, type ConnectionOptions, type NatsConnection } from 'nats';
import type { Log } from '../log.ts';

/** Everyone reconnects at once after a restart of the server: spread over two seconds, so that it is not a storm. */
const reconnectWaitMinMs = 100;
const reconnectWaitSpreadMs = 1_900;
const connectTimeoutMs = 5_000;
/** A dead peer is noticed within pingIntervalMs · pingsOutMax. */
const pingIntervalMs = 10_000;
const pingsOutMax = 2;

const reconnectWaitMs = (): number => reconnectWaitMinMs + Math.random() * reconnectWaitSpreadMs;

export interface ConnectOptions {
  readonly url: string;
  readonly name: string;
  readonly user?: string;
  readonly password?: string | (() => string);
  readonly inboxPrefix?: string;
  /** ends the wait for the first connection */
  readonly signal?: AbortSignal;
}

/**
 * Waits until NATS answers.
 *
 * @throws the last connection error, only after `signal` was aborted
 */
export async function openConnection(options: ConnectOptions, log: Log): Promise<NatsConnection> {
  for (;;) {
    try {
      const connection = await connect(settingsOf(options));
      watch(connection, log);
      return connection;
    } catch (error) {
      if (options.signal?.aborted) throw error;
      log.warn({ url: options.url, error: messageOf(error) }, 'NATS does not answer yet');
      await delay(reconnectWaitMs(), undefined, { signal: options.signal }).catch(() => undefined);
      if (options.signal?.aborted) throw error;
    }
  }
}

function settingsOf({ url, name, user, password, inboxPrefix }: ConnectOptions): ConnectionOptions {
  return {
    servers: url,
    name: `muster-${name}`,
    ...(user ? { authenticator: () => ({ user, pass: typeof password === 'function' ? password() : password ?? '' }) } : {}),
    ...(inboxPrefix ? { inboxPrefix } : {}),
    timeout: connectTimeoutMs,
    pingInterval: pingIntervalMs,
    maxPingOut: pingsOutMax,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: reconnectWaitMs,
    // A login is refused while the auth callout's process is away: the next one may succeed.
    ignoreAuthErrorAbort: true,
  };
}

function watch(connection: NatsConnection, log: Log): void {
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === Events.Disconnect) log.warn({ server: String(status.data) }, 'NATS is away');
      else if (status.type === Events.Reconnect) log.info({ server: String(status.data) }, 'NATS is back');
      else if (status.type === Events.LDM) log.warn('NATS is about to stop');
      else if (status.type === Events.Error) log.warn({ error: String(status.data) }, 'NATS reports an error');
    }
  })();
  void connection.closed().then((error) => {
    if (error) log.error({ error: messageOf(error) }, 'the connection to NATS was closed');
  });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
