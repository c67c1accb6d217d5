import type { Running } from './process.ts';
import { claimHome } from './claim.ts';
import { createLayout } from './layout.ts';
import { startNats } from './nats.ts';
import { findFreePorts } from './port-owner.ts';
import { startPostgres } from './postgres.ts';
import { startTemporal } from './temporal.ts';

export interface ServicePorts { readonly postgres: number; readonly temporal: number; readonly temporalUi?: number; readonly nats: number }

export interface ServicesOptions {
  /** folder for data, logs and secrets */
  readonly home: string;
  /** absent: free ones, as a test wants them */
  readonly ports?: ServicePorts;
  readonly headlessTemporal?: boolean;
}

export interface Services {
  /** of the owner, who migrates and may make databases */
  readonly databaseUrl: string;
  /** of the role that the services use */
  readonly appDatabaseUrl: string;
  readonly temporalAddress: string;
  readonly natsUrl: string;
  readonly natsPasswordFile: string;
  readonly issuerSeedFile: string;
  stop(): Promise<void>;
}

/**
 * Starts only Postgres, Temporal and NATS, for tests and for roles that are run by hand. They end with `stop()`, and
 * also when this process dies without calling it.
 *
 * @throws StackError that names the part and its log; nothing is left running then
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const layout = createLayout(options.home);
  const claim = await claimHome(layout);
  const ports = options.ports ?? await freeServicePorts();
  const [postgres, temporal, nats] = await allOrNone([
    startPostgres(layout, ports.postgres),
    startTemporal(layout, ports.temporal, options.headlessTemporal ? undefined : ports.temporalUi),
    startNats(layout, ports.nats),
  ], claim.release);
  return {
    databaseUrl: postgres.databaseUrl,
    appDatabaseUrl: postgres.appDatabaseUrl,
    temporalAddress: temporal.address,
    natsUrl: nats.url,
    natsPasswordFile: nats.passwordFile,
    issuerSeedFile: nats.issuerSeedFile,
    stop: claim.release,
  };
}

async function freeServicePorts(): Promise<ServicePorts> {
  const [postgres, temporal, temporalUi, nats] = await findFreePorts(4) as [number, number, number, number];
  return { postgres, temporal, temporalUi, nats };
}

/** Waits for all, so that nothing is still starting when the first failure is reported. */
async function allOrNone<T extends readonly Running[]>(
  starts: { readonly [Index in keyof T]: Promise<T[Index]> }, giveUp: () => Promise<void>,
): Promise<T> {
  const outcomes = await Promise.allSettled(starts);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await giveUp();
    throw failed.reason;
  }
  return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Running>).value) as unknown as T;
}
