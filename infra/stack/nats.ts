import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createAccount, fromSeed } from 'nkeys.js';
import { subjects } from '#services/fleet/model.ts';
import { agentAccount } from '#services/platform/nats/auth-callout.ts';
import { probeJetStream } from '#services/platform/nats/probe.ts';
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
const probeTimeoutMs = 2_000;

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
    ready: async () => { await probeJetStream({ natsUrl: url, natsUser: controlUser, natsPassword: password }, probeTimeoutMs); },
  });
  return { ...running, url, passwordFile: secretFile(layout.secrets, 'nats-control-password'), issuerSeedFile: secretFile(layout.secrets, 'nats-issuer-seed') };
}

interface NatsConfig { readonly port: number; readonly storeDir: string; readonly password: string; readonly issuer: string }

/**
 * Two accounts. The control plane has JetStream and answers `$SYS.REQ.USER.AUTH`; agents get a user of the other one,
 * with permissions for their own subjects. What crosses is named here: requests as services, so that the server
 * readdresses their replies and no agent can make the control plane or JetStream write to a subject of its choice;
 * nudges as a stream. 8 GB hold the bounds of both streams with room.
 */
export function natsConfig({ port, storeDir, password, issuer }: NatsConfig): string {
  const list = (items: readonly string[]): string => items.map((item) => `{ ${item} }`).join(', ');
  const services = [subjects.allBeats, subjects.allCalls, subjects.allEnrolments, subjects.allLogs];
  return `listen: "127.0.0.1:${port}"
server_name: muster
max_payload: 1MB
jetstream { store_dir: ${JSON.stringify(storeDir)}, max_memory_store: 64MB, max_file_store: 8GB }
accounts {
  CONTROL {
    jetstream: enabled
    users: [ { user: ${controlUser}, password: ${JSON.stringify(password)} } ]
    exports: [ ${list([...services.map((subject) => `service: "${subject}"`), `stream: "${subjects.allNudges}"`])} ]
  }
  ${agentAccount} {
    imports: [ ${list([...services.map((subject) => `service: { account: CONTROL, subject: "${subject}" }`), `stream: { account: CONTROL, subject: "${subjects.allNudges}" }`])} ]
  }
}
authorization {
  timeout: 5
  auth_callout { issuer: ${issuer}, account: CONTROL, auth_users: [ ${controlUser} ] }
}
`;
}
