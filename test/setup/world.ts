/** What a test file with real parts starts from: its own database, a scope of its own on NATS and Temporal, a config. */
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { readConfig, type Config, type Environment } from '#services/platform/config.ts';
import { openDb, type Db } from '#services/platform/db.ts';
import { openLog, type Log } from '#services/platform/log.ts';
import { createTestDatabase, urlOf } from './database.ts';

/** Leases of a second and beats of a tenth: outages in tests last three leases (design.md §8). */
export const quick: Environment = {
  MUSTER_HEARTBEAT_MS: '100',
  MUSTER_LEASE_TTL_MS: '1000',
  MUSTER_LEASE_DRIFT_MS: '200',
  MUSTER_LEADER_LEASE_MS: '1000',
  MUSTER_SWEEP_MS: '100',
  MUSTER_POLL_MS: '200',
  MUSTER_LOST_GRACE_MS: '500',
  MUSTER_STUCK_GRACE_MS: '2000',
  // JetStream reserves a stream's bound at once: with the product's gigabyte a handful of scopes would fill the server.
  MUSTER_EVENT_STORE_BYTES_MAX: '8388608',
  MUSTER_LOG_STORE_BYTES_MAX: '67108864',
};

export interface World {
  readonly config: Config;
  /** what a role's process gets to see the same world */
  readonly env: Environment;
  readonly db: Db;
  /** as the owner of the schema, for what no service may do */
  readonly owner: Db;
  readonly log: Log;
  close(): Promise<void>;
}

/** @param settings  on top of `quick` */
export async function openWorld(settings: Environment = {}): Promise<World> {
  const database = await createTestDatabase(inject('postgresUrl'));
  const scope = `t${randomBytes(4).toString('hex')}`;
  const env: Environment = {
    ...quick,
    // As the services have it: a grant that is missing shows in every test.
    MUSTER_DATABASE_URL: urlOf(inject('appPostgresUrl'), database.name),
    MUSTER_DATABASE_OWNER_URL: database.url,
    MUSTER_TEMPORAL_ADDRESS: inject('temporalAddress'),
    MUSTER_NATS_URL: inject('natsUrl'),
    MUSTER_NATS_PASSWORD_FILE: inject('natsPasswordFile'),
    MUSTER_NATS_ISSUER_SEED_FILE: inject('issuerSeedFile'),
    MUSTER_SCOPE: scope,
    MUSTER_API_PORT: '0',
    MUSTER_LOG_LEVEL: process.env['MUSTER_LOG_LEVEL'] ?? 'fatal',
    ...settings,
  };
  const config = readConfig(env);
  const log = openLog('test', config.logLevel);
  const db = openDb(config, log, 'test');
  const owner = openDb({ ...config, databaseUrl: database.url }, log, 'test-owner');
  return {
    config, env, db, owner, log,
    close: async () => {
      await Promise.all([db.destroy(), owner.destroy()]);
      await database.drop();
    },
  };
}
