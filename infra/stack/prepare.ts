import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createEnrolmentToken } from '#services/fleet/enrolment.ts';
import { readConfig, readOwnerDatabaseUrl } from '#services/platform/config.ts';
import { openDb, type Db } from '#services/platform/db.ts';
import { openLog } from '#services/platform/log.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';
import { connectControl } from '#services/platform/nats/bus.ts';
import { ensureStreams } from '#services/platform/nats/streams.ts';
import { ensureAdminKey, replaceAdminKey } from '#services/teams/api-keys.ts';
import { StackError } from './error.ts';
import type { Layout } from './layout.ts';
import { givenServices } from './ports.ts';
import type { Addresses } from './roles.ts';
import { ensureSecret, secretFile, writeSecret } from './secrets.ts';

/** Long enough for a slow machine to start its agents; an agent that has its credential ignores the token. */
const tokenTtlSeconds = 900;
const natsTimeoutMs = 15_000;
/** AES-256, for the secrets of jobs */
const secretKeyBytes = 32;

export interface Prepared {
  /** file of each agent's enrolment token */
  readonly tokenFiles: ReadonlyMap<string, string>;
  readonly notices: readonly string[];
}

/**
 * Brings the services to the point where roles can start: migrations, key of the job secrets, admin key, streams, enrolment tokens.
 * Every step may run again.
 *
 * @param nodes  agents that will start
 */
export async function prepare(layout: Layout, addresses: Addresses, nodes: readonly string[]): Promise<Prepared> {
  ensureSecret(layout.secrets, 'secret-key', () => randomBytes(secretKeyBytes).toString('base64url'));
  const config = readConfig({ ...process.env, MUSTER_HOME: layout.home, MUSTER_NATS_URL: addresses.nats });
  const log = openLog('stack', 'error');
  await migrateToLatest(readOwnerDatabaseUrl({ ...process.env, MUSTER_HOME: layout.home }));
  ensureSecret(layout.secrets, 'page-token-key');
  const db = openDb({ ...config, databasePoolMax: 2 }, log, 'stack');
  try {
    const [notices, tokenFiles] = await Promise.all([keepAdminKey(db, layout), makeTokens(db, layout, nodes), makeStreams(config, log)]);
    return { notices, tokenFiles };
  } finally {
    await db.destroy();
  }
}

/**
 * A key whose file is lost (a crash between the two writes) is replaced in a database of our own; in one that was
 * given, somebody else may use it.
 */
async function keepAdminKey(db: Db, layout: Layout): Promise<string[]> {
  const key = await ensureAdminKey(db);
  const file = secretFile(layout.secrets, 'admin-key');
  if (key !== null) writeSecret(layout.secrets, 'admin-key', key);
  else if (!existsSync(file) && givenServices().has('postgres')) return [`the given database has an admin key that isn't in ${file}: put it there, or set MUSTER_API_KEY`];
  else if (!existsSync(file)) writeSecret(layout.secrets, 'admin-key', await replaceAdminKey(db));
  return [];
}

async function makeTokens(db: Db, layout: Layout, nodes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const node of nodes) {
    const { token } = await createEnrolmentToken(db, { node, ttlSeconds: tokenTtlSeconds });
    files.set(node, writeSecret(layout.secrets, `enrolment-${node}`, token));
  }
  return files;
}

async function makeStreams(config: ReturnType<typeof readConfig>, log: ReturnType<typeof openLog>): Promise<void> {
  const bus = await connectControl(config, log, 'stack', AbortSignal.timeout(natsTimeoutMs)).catch((error: unknown) => {
    throw new StackError(`NATS at ${config.natsUrl} doesn't let the control plane in: ${String(error)}`, 'Check MUSTER_NATS_URL, MUSTER_NATS_USER and MUSTER_NATS_PASSWORD_FILE.');
  });
  try {
    await ensureStreams(bus, config);
  } finally {
    await bus.close();
  }
}
