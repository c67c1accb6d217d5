import { connect } from 'nats';
import pg from 'pg';
import { pendingMigrations } from '#services/platform/migrate.ts';
import { missingSearchAttributes } from '../temporal.ts';
import { fail, ok, warn, type Check, type CheckContext, type CheckResult } from './check.ts';

const clockDriftWarnMs = 1_000;
const clockDriftFailMs = 5_000; // leaseDriftMs: beyond it a fence would come too early (P16)

type Reachable = 'postgres' | 'temporal' | 'nats';
const variables = { postgres: 'MUSTER_DATABASE_URL', temporal: 'MUSTER_TEMPORAL_ADDRESS', nats: 'MUSTER_NATS_URL' } as const;

/** Compares this machine's clock with the database's, whose time decides on leases. */
export const checkPostgres: Check = (context) => reached(context, 'postgres', 'postgres', async () => {
  const beforeMs = Date.now();
  const [row] = await query<{ version: string; nowMs: string }>(context, "select current_setting('server_version') as version, extract(epoch from clock_timestamp()) * 1000 as \"nowMs\"");
  const afterMs = Date.now();
  const driftMs = Math.round(Number(row?.nowMs) - (beforeMs + afterMs) / 2);
  const found = `${row?.version}, answers in ${afterMs - beforeMs} ms, its clock is ${driftMs} ms ahead of ours`;
  const remedy = 'Synchronise the clocks of both machines (NTP).';
  if (Math.abs(driftMs) > clockDriftFailMs) return fail('postgres', found, remedy);
  return Math.abs(driftMs) > clockDriftWarnMs ? warn('postgres', found, remedy) : ok('postgres', found);
});

export const checkMigrations: Check = (context) => reached(context, 'postgres', 'migrations', async () => {
  const pending = await pendingMigrations(context.config.databaseUrl);
  return pending.length === 0 ? ok('migrations', 'all applied') : fail('migrations', `not applied: ${pending.join(', ')}`, 'Restart the stack: `muster up` applies them.');
});

export const checkTemporal: Check = (context) => reached(context, 'temporal', 'temporal', async () => {
  await missingSearchAttributes(context.config.temporalAddress, context.config.temporalNamespace);
  return ok('temporal', `answers at ${context.config.temporalAddress}`);
});

export const checkSearchAttributes: Check = (context) => reached(context, 'temporal', 'search attributes', async () => {
  const { temporalAddress, temporalNamespace } = context.config;
  const missing = await missingSearchAttributes(temporalAddress, temporalNamespace);
  return missing.length === 0
    ? ok('search attributes', `all registered in ${temporalNamespace}`)
    : fail('search attributes', `not registered: ${missing.join(', ')}`, `Register them: temporal operator search-attribute create --namespace ${temporalNamespace} --name <name> --type <type>; infra/temporal/search-attributes.ts has the types.`);
});

export const checkNats: Check = (context) => reached(context, 'nats', 'nats', async () => {
  const connection = await connectNats(context);
  try {
    const info = await (await connection.jetstreamManager()).getAccountInfo();
    return ok('nats', `${connection.info?.version}, JetStream with ${info.streams} streams`);
  } finally {
    await connection.close();
  }
});

export const checkStreams: Check = (context) => reached(context, 'nats', 'streams', async () => {
  const connection = await connectNats(context);
  try {
    const streams = await (await connection.jetstreamManager()).streams.list().next();
    const fill = streams.map(({ config, state }) => ({ name: config.name, share: config.max_bytes > 0 ? state.bytes / config.max_bytes : 0 }));
    const found = fill.map(({ name, share }) => `${name} ${Math.round(share * 100)} % full`).join(', ');
    if (streams.length === 0) return fail('streams', 'none', 'Restart the stack: `muster up` makes them.');
    return fill.some(({ share }) => share > 0.9) ? warn('streams', found, 'Find the reader that lags behind with `muster events`, or raise the bound.') : ok('streams', found);
  } finally {
    await connection.close();
  }
});

export const checkApi: Check = async ({ config, isRunning }) => {
  if (!isRunning && process.env['MUSTER_API_URL'] === undefined) return ok('api', 'no stack runs');
  try {
    const answer = await fetch(`${config.apiUrl}/openapi.json`, { signal: AbortSignal.timeout(3_000) });
    return answer.ok ? ok('api', `answers at ${config.apiUrl}`) : fail('api', `answers ${answer.status} at ${config.apiUrl}`, 'Look into logs/api.log.');
  } catch (error) {
    return fail('api', `no answer at ${config.apiUrl}: ${text(error)}`, 'Look into logs/api.log, or correct MUSTER_API_URL.');
  }
};

/** Probes a service that should be there; one that nobody started or gave is no failure. */
async function reached(context: CheckContext, service: Reachable, name: string, probe: () => Promise<CheckResult>): Promise<CheckResult> {
  if (!context.isRunning && !context.given.has(service)) return ok(name, 'no stack runs');
  try {
    return await probe();
  } catch (error) {
    return fail(name, `not reached: ${text(error)}`, context.given.has(service)
      ? `Correct ${variables[service]}, or unset it to let Muster start ${service}.`
      : `Look into logs/${service}.log; restart with \`muster down\` and \`muster up\`.`);
  }
}

async function query<Row extends pg.QueryResultRow>({ config }: CheckContext, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: config.databaseUrl, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined); // the query itself rejects
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const connectNats = ({ config }: CheckContext): ReturnType<typeof connect> =>
  connect({ servers: config.natsUrl, user: config.natsUser, pass: config.natsPassword, reconnect: false, timeout: 3_000 });

const text = (error: unknown): string => (error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error));
