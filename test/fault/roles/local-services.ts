/** Postgres, Temporal and NATS of one test file alone, each of which may be killed and started again at its address. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { layoutOf } from '#infra/stack/layout.ts';
import { startNats } from '#infra/stack/nats.ts';
import { readPidFile, stopProcess } from '#infra/stack/pid-file.ts';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { startPostgres } from '#infra/stack/postgres.ts';
import { reset } from '#infra/stack/reset.ts';
import { startServices } from '#infra/stack/services.ts';
import { startTemporal } from '#infra/stack/temporal.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';
import { until } from '../../e2e/until.ts';
import type { ServicesEnv } from '../../e2e/fleet.ts';
import { quick } from '../../setup/world.ts';

export const serviceNames = ['postgres', 'temporal', 'nats'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface LocalServices extends ServicesEnv {
  /** as a crash does it, or as an operator does */
  stop(name: ServiceName, how: 'kill' | 'shutdown'): Promise<void>;
  start(name: ServiceName): Promise<void>;
  /** starts what a failed test left stopped */
  ensure(name: ServiceName): Promise<void>;
}

export async function startLocalServices(): Promise<LocalServices> {
  const home = mkdtempSync(path.join(process.env['MUSTER_TEST_DIR'] ?? tmpdir(), 'services-'));
  chmodSync(home, 0o711); // as root, Postgres runs as another user
  const [postgres, temporal, nats] = await findFreePorts(3) as [number, number, number];
  const services = await startServices({ home, ports: { postgres, temporal, nats }, headlessTemporal: true });
  await migrateToLatest(services.databaseUrl);
  const layout = layoutOf(home);
  const starts = {
    postgres: () => startPostgres(layout, postgres),
    temporal: () => startTemporal(layout, temporal, undefined),
    nats: () => startNats(layout, nats),
  };
  return {
    env: {
      ...quick,
      MUSTER_DATABASE_URL: services.databaseUrl, MUSTER_TEMPORAL_ADDRESS: services.temporalAddress, MUSTER_NATS_URL: services.natsUrl,
      MUSTER_NATS_PASSWORD_FILE: services.natsPasswordFile, MUSTER_NATS_ISSUER_SEED_FILE: services.issuerSeedFile,
    },
    async stop(name, how) {
      const record = readPidFile(layout.run, name);
      if (!record) throw new Error(`${name} does not run`);
      await stopProcess(how === 'kill' ? { ...record, stopSignal: 'SIGKILL' } : record);
      await until(`the pid file of ${name} to go`, () => !readPidFile(layout.run, name)); // it goes after the process, and must not take the next one's
    },
    async start(name) { await starts[name](); },
    async ensure(name) { if (!readPidFile(layout.run, name)) await starts[name](); },
    close: async () => {
      await services.stop();
      reset(home);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
