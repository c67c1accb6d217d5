/** One real stack a run: Postgres, Temporal and NATS on free ports, in a folder of their own, gone afterwards. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { reset } from '#infra/stack/reset.ts';
import { startServices } from '#infra/stack/services.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** of the owner of every database */
    postgresUrl: string;
    /** of the role that the services use */
    appPostgresUrl: string;
    temporalAddress: string;
    natsUrl: string;
    natsPasswordFile: string;
    issuerSeedFile: string;
  }
}

export default async function setUpStack(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(path.join(tmpdir(), 'muster-test-'));
  await chmod(home, 0o711); // as root, Postgres runs as another user and needn't be moved to a reachable folder
  const services = await startServices({ home, headlessTemporal: true });
  project.provide('postgresUrl', services.databaseUrl);
  project.provide('appPostgresUrl', services.appDatabaseUrl);
  project.provide('temporalAddress', services.temporalAddress);
  project.provide('natsUrl', services.natsUrl);
  project.provide('natsPasswordFile', services.natsPasswordFile);
  project.provide('issuerSeedFile', services.issuerSeedFile);
  return async () => {
    await services.stop();
    reset(home);
    await rm(home, { recursive: true, force: true });
  };
}
