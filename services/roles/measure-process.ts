/** What every process shows of itself: its `/metrics`, its pool, its moves of jobs, and traces where they are wanted. */
import { observeMovesBy } from '../jobs/moved.ts';
import type { Config } from '../platform/config.ts';
import { poolUse, type Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { databasePoolConnections, databasePoolWaiting, jobTransitions } from '../platform/metrics.ts';
import { roleNames, type MetricRole } from '../platform/metrics-roles.ts';
import { readAtScrape } from '../platform/metrics-scrape.ts';
import { serveMetrics } from '../platform/metrics-server.ts';
import { startTracing } from '../platform/tracing-sdk.ts';

export interface Measured { readonly config: Config; readonly db: Db; readonly log: Log }

/** Roles that make spans: requests and activities (ST9). */
const traced: ReadonlySet<string> = new Set(['api', 'worker', 'all']);

/** @returns how to end it */
export async function measureProcess(name: string, { config, db, log }: Measured): Promise<() => Promise<void>> {
  observeMovesBy((event, to) => jobTransitions.inc({ event, to }));
  const unwatch = readAtScrape('pool', () => showPool(db));
  const server = await serveMetrics({ role: roleOf(name), host: config.metricsHost, port: config.metricsPort }, log);
  const tracing = traced.has(name) ? await startTracing(config, log, name) : undefined;
  return async () => {
    unwatch();
    await Promise.all([server?.close(), tracing?.close()]);
  };
}

const roleOf = (name: string): MetricRole | 'all' => roleNames.find((role) => role === name) ?? 'all';

function showPool(db: Db): void {
  const { total, idle, waiting } = poolUse(db);
  databasePoolConnections.set({ state: 'busy' }, total - idle);
  databasePoolConnections.set({ state: 'idle' }, idle);
  databasePoolWaiting.set(waiting);
}
