import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { StackError } from './error.ts';
import type { Layout } from './layout.ts';
import { requireFreePort } from './port-owner.ts';
import { makeOwned, placePostgres, type PostgresPlace } from './postgres-place.ts';
import { allPids } from './process-identity.ts';
import { startProcess, type Running } from './process.ts';
import { resolveProgram } from './program.ts';
import { ensureSecret, writeSecret } from './secrets.ts';

export interface Postgres extends Running {
  /** of the owner, who migrates */
  readonly databaseUrl: string;
  /** of the role that the services use: it can't change the audit log */
  readonly appDatabaseUrl: string;
  readonly notice: string | undefined;
}

const user = 'muster';
const database = 'muster';
/** named in the migrations too */
const appRole = 'muster_app';
const run = promisify(execFile);

/** For a small machine that also runs everything else; durability stays on. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // TCP only: a socket's path may be too long below a deep home
  max_connections: '200',
  shared_buffers: '256MB',
  max_parallel_workers_per_gather: '0', // parallel plans need /dev/shm, which containers keep at 64 MB
  jit: 'off', // short statements only
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %a ',
};

/** Starts Postgres on 127.0.0.1 with the data of this home, made on first use. */
export async function startPostgres(layout: Layout, port: number): Promise<Postgres> {
  const program = await resolveProgram('postgres');
  const place = placePostgres(layout, program);
  const password = ensureSecret(layout.secrets, 'postgres-password');
  await endLeftovers(place.dataDir);
  await requireFreePort('Postgres', port, 'MUSTER_POSTGRES_PORT');
  await initialize(place, password);
  const url = (name: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  const running = await startProcess(layout, {
    name: 'postgres',
    program: path.join(place.binDir, 'postgres'),
    args: ['-D', place.dataDir, '-p', String(port), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: postgresEnv(),
    cwd: '/',
    ...(place.user && { user: place.user }),
    order: 1,
    stopSignal: 'SIGINT', // fast shutdown: SIGTERM would wait for every client
    stopTimeoutMs: 20_000,
    readyTimeoutMs: 60_000, // recovery of a long WAL after a kill
    ready: () => query(url('postgres'), 'select 1').then(() => undefined),
  });
  await createDatabase(url('postgres'));
  const databaseUrl = url(database);
  const appPassword = ensureSecret(layout.secrets, 'postgres-app-password');
  await createAppRole(url('postgres'), appPassword);
  const appDatabaseUrl = `postgres://${appRole}:${appPassword}@127.0.0.1:${port}/${database}`;
  writeSecret(layout.secrets, 'database-owner-url', databaseUrl);
  writeSecret(layout.secrets, 'database-url', appDatabaseUrl);
  return { ...running, databaseUrl, appDatabaseUrl, notice: place.notice };
}

/** initdb into a draft that is renamed when it is complete: a half-made cluster is never started. */
async function initialize(place: PostgresPlace, password: string): Promise<void> {
  if (existsSync(path.join(place.dataDir, 'PG_VERSION'))) return requireVersion(place);
  const draft = `${place.dataDir}.draft`;
  rmSync(draft, { recursive: true, force: true });
  makeOwned(draft, place.user);
  const passwordDir = mkdtempSync(path.join('/tmp', 'muster-'));
  const passwordFile = path.join(passwordDir, 'password');
  try {
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (place.user) for (const file of [passwordDir, passwordFile]) chownSync(file, place.user.uid, place.user.gid);
    await run(path.join(place.binDir, 'initdb'), [
      '-D', draft, '--username', user, '--auth', 'scram-sha-256', '--pwfile', passwordFile, '--encoding', 'UTF8',
      '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions',
    ], { ...place.user, env: postgresEnv(), cwd: '/' });
  } catch (error) {
    throw new StackError(`initdb failed: ${(error as { stderr?: string }).stderr?.trim() || String(error)}`,
      'Check free disk space and the rights of the folder, or give a Postgres by MUSTER_DATABASE_URL.');
  } finally {
    rmSync(passwordDir, { recursive: true, force: true });
  }
  rmSync(place.dataDir, { recursive: true, force: true });
  renameSync(draft, place.dataDir);
}

function requireVersion(place: PostgresPlace): void {
  const version = readFileSync(path.join(place.dataDir, 'PG_VERSION'), 'utf8').trim();
  if (version !== '18') throw new StackError(`${place.dataDir} was written by Postgres ${version}`, 'Move it away, or delete it with `muster reset`.');
}

/**
 * After a kill -9 of the postmaster its children end by themselves, and until then a new one refuses the folder.
 * A postmaster.pid whose number now belongs to a foreign process would block the start for ever: it goes.
 */
async function endLeftovers(dataDir: string): Promise<void> {
  const until = performance.now() + 5_000;
  for (let left = processesIn(dataDir); left.length > 0; left = processesIn(dataDir)) {
    if (performance.now() > until) for (const pid of left) process.kill(pid, 'SIGKILL');
    await delay(25);
  }
  rmSync(path.join(dataDir, 'postmaster.pid'), { force: true });
}

/** Postgres makes its data folder the working directory of all its processes. */
function processesIn(dataDir: string): number[] {
  return allPids().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
    } catch {
      return false;
    }
  });
}

async function createDatabase(url: string): Promise<void> {
  const { rowCount } = await query(url, 'select 1 from pg_database where datname = $1', [database]);
  if (rowCount === 0) await query(url, `create database ${database}`);
}

/** Its rights come with the migrations; here it gets its login. */
async function createAppRole(url: string, password: string): Promise<void> {
  const { rowCount } = await query(url, 'select 1 from pg_roles where rolname = $1', [appRole]);
  await query(url, `${rowCount === 0 ? 'create' : 'alter'} role ${appRole} login password ${pg.escapeLiteral(password)}`);
}

async function query(connectionString: string, text: string, values: string[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined); // the query itself rejects; without a listener a second report would end the process
  try {
    await client.connect();
    return await client.query(text, values);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A foreign PG… variable must not change our server, and the C locale exists everywhere. */
const postgresEnv = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });
