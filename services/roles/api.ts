/** The API role: REST, the OpenAPI document and its page. Any number may run. */
import { sql } from 'kysely';
import { overviewRoutes } from '../observability/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import { eventRoutes } from '../events/routes.ts';
import { operationRoutes } from '../operations/routes.ts';
import { Waiters } from '../operations/wait.ts';
import { checkpointRoutes } from '../checkpoints/routes.ts';
import { fleetRoutes } from '../fleet/routes.ts';
import { jobRoutes } from '../jobs/routes.ts';
import { logRoutes } from '../logs/routes.ts';
import type { Authenticate } from '../platform/authz.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { createHttp, type Api } from '../platform/http.ts';
import { healthRoutes, type Check } from '../platform/http-health.ts';
import type { Log } from '../platform/log.ts';
import { signPageTokensWith } from '../platform/pages.ts';
import { pendingMigrations } from '../platform/migrate.ts';
import { connectControl, type Bus } from '../platform/nats/bus.ts';
import { authenticateBy, isKeyToken } from '../teams/api-keys.ts';
import { authenticateByOidc } from '../teams/oidc.ts';
import { teamRoutes } from '../teams/routes.ts';
import { wakeAndNudgeOver } from './wake.ts';
import { aborted, runProcess, type Role } from './process.ts';

export interface ApiDeps {
  readonly db: Db;
  readonly config: Config;
  readonly log: Log;
  /** undefined until NATS has answered for the first time; the API serves without it */
  readonly bus: () => Bus | undefined;
}

/** @returns the API, ready to listen or to be injected into */
export async function createApi({ db, config, log, bus }: ApiDeps): Promise<Api> {
  const app = await createHttp({ config, log, authenticate: authenticateEither(db, config, log) });
  signPageTokensWith(config.pageTokenKey);
  const waiters = new Waiters(db, config);
  await app.register(async (routes: Api) => {
    healthRoutes(routes, { postgres: postgresAnswers(db), migrations: migrationsApplied(config), nats: natsAnswers(bus) });
    teamRoutes(routes, { db, config });
    jobRoutes(routes, { db, waiters, config });
    fleetRoutes(routes, { db, waiters, config });
    checkpointRoutes(routes, { db, config });
    logRoutes(routes, { db, config, log, bus });
    eventRoutes(routes, { db, config, log, bus });
    operationRoutes(routes, { db, config, waiters });
    auditRoutes(routes, { db, config });
    overviewRoutes(routes, { db, config, bus });
  });
  await app.ready();
  return app;
}

function authenticateEither(db: Db, config: Config, log: Log): Authenticate {
  const [byKey, byToken] = [authenticateBy(db), authenticateByOidc(db, config, log)];
  return (token) => (isKeyToken(token) ? byKey(token) : byToken(token));
}

const postgresAnswers = (db: Db): Check => async () => {
  await sql`select 1`.execute(db);
  return 'answers';
};

/** Once all are applied they stay applied: nothing rolls back, so the question is asked until then. */
function migrationsApplied(config: Config): Check {
  let applied = false;
  return async () => {
    const missing = applied ? [] : await pendingMigrations(config.databaseUrl);
    if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}; run muster up, or migrate`);
    applied = true;
    return 'applied';
  };
}

const natsAnswers = (bus: () => Bus | undefined): Check => async () => {
  if (!bus()?.connected()) throw new Error('not connected');
  return 'connected';
};

/** A request that takes longer at the end of the process is cut: the process ends within 10 s. */
const closeTimeoutMs = 8_000;

export async function runApi({ config, db, log, signal, onReady }: Role): Promise<void> {
  let bus: Bus | undefined;
  const connecting = connectControl(config, log, 'api', signal).then(
    (found) => { bus = found; wakeAndNudgeOver(found); },
    (error: unknown) => log.info({ error: String(error) }, 'ended before NATS answered'),
  );
  const app = await createApi({ db, config, log, bus: () => bus });
  const address = await app.listen({ host: config.apiHost, port: config.apiPort });
  log.info({ address }, 'API listens');
  onReady?.();
  await aborted(signal);
  const late = setTimeout(() => app.server.closeAllConnections(), closeTimeoutMs);
  await app.close();
  clearTimeout(late);
  await connecting;
  await (bus as Bus | undefined)?.close();
}

if (import.meta.main) await runProcess('api', runApi);
