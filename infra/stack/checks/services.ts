import pg from 'pg';
import { logStream } from '#services/events/model.ts';
import { pendingMigrations } from '#services/platform/migrate.ts';
import { probeJetStream, type JetStreamFacts } from '#services/platform/nats/probe.ts';
import { eventStreamName } from '#services/platform/nats/streams.ts';
import { searchAttributeRemedy } from '../../temporal/search-attributes.ts';
import { readView, type ServiceName } from '../part.ts';
import { addressVariable } from '../ports.ts';
import { missingSearchAttributes } from '../temporal.ts';
import { fail, ok, warn, type Check, type CheckContext, type CheckResult } from './check.ts';

const clockDriftWarnMs = 1_000;
const clockDriftFailMs = 5_000; // leaseDriftMs: beyond it a fence would come too early (P16)
/** full streams refuse new events (design.md §3.1): say so before */
const fullShareWarn = 0.9;
const probeTimeoutMs = 3_000;

/** Compares this machine's clock with the database's, whose time decides on leases. */
export const checkPostgres: Check = (context) => reached(context, 'postgres', 'postgres', async () => {
  const { row, beforeMs, afterMs } = await queryRow<{ version: string; nowMs: string }>(context, "select current_setting('server_version') as version, extract(epoch from clock_timestamp()) * 1000 as \"nowMs\"");
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
    : fail('search attributes', `not registered: ${missing.join(', ')}`, `Register them: ${searchAttributeRemedy(missing, temporalAddress, temporalNamespace)}`);
});

export const checkNats: Check = (context) => reached(context, 'nats', 'nats', async () => {
  const { serverVersion, streams } = await jetStream(context);
  return ok('nats', `${serverVersion}, JetStream with ${streams.length} streams`);
});

export const checkStreams: Check = (context) => reached(context, 'nats', 'streams', async () => {
  const { streams } = await jetStream(context);
  const missing = [eventStreamName(context.config.scope), logStream].filter((name) => !streams.some((stream) => stream.name === name));
  if (missing.length > 0) return fail('streams', `missing: ${missing.join(', ')}`, 'Restart the stack: `muster up` makes them.');
  const full = streams.filter(({ bytes, bytesMax }) => bytesMax > 0 && bytes > bytesMax * fullShareWarn);
  return full.length > 0
    ? warn('streams', `nearly full: ${full.map(({ name }) => name).join(', ')}`, 'Look for a reader that lags behind in logs/, or raise the bound (MUSTER_EVENT_STORE_BYTES_MAX).')
    : ok('streams', streams.map(({ name }) => name).join(', '));
});

export const checkApi: Check = async ({ config, isRunning, layout }) => {
  const isStarted = isRunning && readView(layout)?.parts.some((part) => part.name === 'api');
  if (!isStarted && process.env['MUSTER_API_URL'] === undefined) return ok('api', 'not started');
  try {
    const answer = await fetch(`${config.apiUrl}/openapi.json`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    return answer.ok ? ok('api', `answers at ${config.apiUrl}`) : fail('api', `answers ${answer.status} at ${config.apiUrl}`, 'Look into logs/api.log.');
  } catch (error) {
    return fail('api', `no answer at ${config.apiUrl}: ${text(error)}`, 'Look into logs/api.log, or correct MUSTER_API_URL.');
  }
};

/** Probes a service that should be there; one that nobody started or gave is no failure. */
async function reached(context: CheckContext, service: ServiceName, name: string, probe: () => Promise<CheckResult>): Promise<CheckResult> {
  if (!context.isRunning && !context.given.has(service)) return ok(name, 'no stack runs');
  try {
    return await probe();
  } catch (error) {
    return fail(name, `not reached: ${text(error)}`, context.given.has(service)
      ? `Correct ${addressVariable(service)}, or unset it to let Muster start ${service}.`
      : `Look into logs/${service}.log; restart with \`muster down\` and \`muster up\`.`);
  }
}

/** Timed without the login, so that the clocks can be compared within milliseconds. */
async function queryRow<Row extends pg.QueryResultRow>({ config }: CheckContext, statement: string): Promise<{ row: Row | undefined; beforeMs: number; afterMs: number }> {
  const client = new pg.Client({ connectionString: config.databaseUrl, connectionTimeoutMillis: probeTimeoutMs });
  client.on('error', () => undefined); // the query itself rejects
  try {
    await client.connect();
    const beforeMs = Date.now();
    const { rows: [row] } = await client.query<Row>(statement);
    return { row, beforeMs, afterMs: Date.now() };
  } finally {
    await client.end().catch(() => undefined);
  }
}

const jetStream = ({ config }: CheckContext): Promise<JetStreamFacts> => probeJetStream(config, probeTimeoutMs);

const text = (error: unknown): string => (error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error));
