import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect } from 'nats';
import { createAccount, fromSeed } from 'nkeys.js';
import type { Layout } from './layout.ts';
import { requireFreePort } from './port-owner.ts';
import { startProcess, type Running } from './process.ts';
import { resolveProgram } from './program.ts';
import { ensureSecret, secretFile } from './secrets.ts';

export interface Nats extends Running {
  readonly url: string;
  readonly passwordFile: string;
  readonly issuerSeedFile: string;
}

const controlUser = 'control';

/** Starts NATS with JetStream; every user but `control` is decided by the auth callout (services/fleet). */
export async function startNats(layout: Layout, port: number): Promise<Nats> {
  const program = await resolveProgram('nats');
  await requireFreePort('NATS', port, 'MUSTER_NATS_PORT');
  const password = ensureSecret(layout.secrets, 'nats-control-password');
  const seed = ensureSecret(layout.secrets, 'nats-issuer-seed', () => new TextDecoder().decode(createAccount().getSeed()));
  const storeDir = path.join(layout.data, 'nats');
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const configFile = path.join(layout.secrets, 'nats-server.conf');
  const issuer = fromSeed(new TextEncoder().encode(seed)).getPublicKey();
  writeFileSync(configFile, natsConfig({ port, storeDir, password, issuer }), { mode: 0o600 });
  const url = `nats://127.0.0.1:${port}`;
  const running = await startProcess(layout, {
    name: 'nats',
    program: program.file,
    args: ['--config', configFile],
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    order: 1,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
    readyTimeoutMs: 60_000,
    ready: () => requireJetStream(url, password),
  });
  return { ...running, url, passwordFile: secretFile(layout.secrets, 'nats-control-password'), issuerSeedFile: secretFile(layout.secrets, 'nats-issuer-seed') };
}

interface NatsConfig { readonly port: number; readonly storeDir: string; readonly password: string; readonly issuer: string }

/**
 * One account (the global one): `control` uses JetStream and answers `$SYS.REQ.USER.AUTH` in it, agents get a user
 * of the same account with permissions for their own subjects. 8 GB hold the bounds of both streams with room.
 */
export function natsConfig({ port, storeDir, password, issuer }: NatsConfig): string {
  return `listen: "127.0.0.1:${port}"
server_name: muster
max_payload: 1MB
jetstream { store_dir: ${JSON.stringify(storeDir)}, max_memory_store: 64MB, max_file_store: 8GB }
authorization {
  timeout: 5
  users: [ { user: ${controlUser}, password: ${JSON.stringify(password)} } ]
  auth_callout { issuer: ${issuer}, auth_users: [ ${controlUser} ] }
}
`;
}

async function requireJetStream(url: string, password: string): Promise<void> {
  const connection = await connect({ servers: url, user: controlUser, pass: password, reconnect: false, timeout: 2_000 });
  try {
    await (await connection.jetstreamManager()).getAccountInfo();
  } finally {
    await connection.close();
  }
}
