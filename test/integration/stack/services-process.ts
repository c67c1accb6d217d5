/** Starts the services of a home in a process of its own, so that a test can kill it. */
import { startServices } from '#infra/stack/services.ts';

const home = process.argv[2];
if (home === undefined) throw new Error('usage: services-process.ts HOME');
const { databaseUrl, temporalAddress, natsUrl, natsPasswordFile, issuerSeedFile } = await startServices({ home, headlessTemporal: true });
process.send?.({ databaseUrl, temporalAddress, natsUrl, natsPasswordFile, issuerSeedFile });
