/** What NATS has, asked once: for readiness of the local stack and for `muster doctor`. */
import { connect } from 'nats';
import type { Config } from '../config.ts';

export interface JetStreamFacts {
  readonly serverVersion: string;
  /** bytesMax −1: without a bound */
  readonly streams: readonly { readonly name: string; readonly bytes: number; readonly bytesMax: number }[];
}

/** @throws Error when NATS doesn't answer in time, refuses the control plane's login, or has no JetStream */
export async function probeJetStream(config: Pick<Config, 'natsUrl' | 'natsUser' | 'natsPassword'>, timeoutMs: number): Promise<JetStreamFacts> {
  const login = config.natsPassword ? { user: config.natsUser, pass: config.natsPassword } : {};
  const connection = await connect({ servers: config.natsUrl, ...login, reconnect: false, timeout: timeoutMs });
  try {
    const manager = await connection.jetstreamManager({ timeout: timeoutMs });
    const streams = [];
    for await (const { config: stream, state } of manager.streams.list()) streams.push({ name: stream.name, bytes: state.bytes, bytesMax: stream.max_bytes });
    return { serverVersion: connection.info?.version ?? 'unknown', streams };
  } finally {
    await connection.close();
  }
}
