/**
 * A restore (protocol.md P33–P38). Everything is checked before anything is touched; the old rows stay aside until the
 * new ones are complete; the new life begins frozen, and the reconciler thaws it once the world is adopted.
 */
import pg from 'pg';
import type { Config } from '../platform/config.ts';
import { inTransaction, openDb } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { knownMigrations, migrateToLatest, migrateUpTo } from '../platform/migrate.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { restoreLock } from '../platform/schema-check.ts';
import { isWitnessed, nextIncarnation, readIncarnationFile, readIncarnationFromNats, recordIncarnation, type UsedIncarnations } from './incarnation.ts';
import { loadRows } from './load.ts';
import { BackupError, type Manifest, type Progress } from './model.ts';
import { beginNewLife } from './new-life.ts';
import { bringBack, dropAside, setAside } from './schema-swap.ts';
import { readManifest, verifyFiles } from './verify.ts';

export interface RestoreRequest {
  readonly folder: string;
  /** of the owner of the schema */
  readonly databaseUrl: string;
  readonly config: Pick<Config, 'home' | 'leaseTtlMs' | 'databasePoolMax' | 'lockTimeoutMs' | 'statementTimeoutMs'>;
  readonly log: Log;
  /** undefined: NATS doesn't answer; then its memory of used incarnations is missing */
  readonly bus: Bus | undefined;
  /** an incarnation that is known to have been used, where no witness is left */
  readonly aboveIncarnation?: number;
  /** asked once everything is checked; false: nothing is changed */
  readonly confirm: (plan: RestorePlan) => Promise<boolean>;
  readonly onProgress?: Progress;
}

export interface RestorePlan {
  readonly manifest: Manifest;
  /** jobs in the database that will be replaced; null: it is empty */
  readonly replacedJobs: number | null;
  readonly incarnation: number;
}

export interface Restored extends RestorePlan {
  /** migrations that the backup did not have */
  readonly migrated: readonly string[];
}

/**
 * @throws BackupError: nothing was changed
 * @throws the database's error: the old rows are back
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const manifest = await readManifest(request.folder);
  await requireKnownSchema(manifest);
  await verifyFiles(request.folder, manifest, request.onProgress);
  const client = new pg.Client({ connectionString: request.databaseUrl, application_name: 'restore' });
  await client.connect();
  try {
    await requireAlone(client);
    const current = await readCurrent(client);
    if (current && current.clusterId !== manifest.clusterId) {
      throw new BackupError('other_cluster', `the backup is of cluster ${manifest.clusterId}, the database of ${current.clusterId}`, 'Check MUSTER_DATABASE_URL, or restore into an empty database.');
    }
    const incarnation = await chooseIncarnation(request, manifest, current?.incarnation);
    const plan = { manifest, replacedJobs: current?.jobs ?? null, incarnation };
    if (!await request.confirm(plan)) throw new BackupError('not_confirmed', 'the restore was not confirmed', 'Repeat it with --yes.');
    await recordIncarnation(request.config, request.bus, manifest.clusterId, incarnation);
    return { ...plan, migrated: await replace(client, request, manifest, incarnation) };
  } finally {
    await client.end();
  }
}

async function requireKnownSchema({ migrations }: Manifest): Promise<void> {
  const known = await knownMigrations();
  const unknown = migrations.filter((name, n) => known[n] !== name);
  if (unknown.length > 0) throw new BackupError('schema_newer', `the backup has migrations that this version does not know: ${unknown.join(', ')}`, 'Restore it with the version that took it, or a newer one.');
}

const roleConnections = ['all', 'api', 'ingest', 'reconciler', 'relay', 'scheduler', 'worker'].map((role) => `muster-${role}`);

/** Roles connect as `muster-<role>`, wherever they run. */
async function requireAlone(client: pg.Client): Promise<void> {
  const { rows: [lock] } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [restoreLock]);
  if (!lock?.taken) throw new BackupError('restore_running', 'another restore of this database is under way, or a role is just starting', 'Wait for it.');
  const { rows } = await client.query<{ name: string; from: string | null }>(`
    select distinct application_name as name, coalesce(host(client_addr), 'this machine') as from from pg_stat_activity
    where datname = current_database() and application_name = any($1) order by 1`, [roleConnections]);
  if (rows.length === 0) return;
  const running = rows.map(({ name, from }) => `${name.slice('muster-'.length)} (${from})`).join(', ');
  throw new BackupError('roles_running', `roles run on this database: ${running}`, 'Stop them first: muster down, or scale them to zero. Agents and their jobs may run on.');
}

interface Current { readonly clusterId: string; readonly incarnation: number; readonly jobs: number }

/** @returns undefined for a database without our tables, or with ones that can't be read */
async function readCurrent(client: pg.Client): Promise<Current | undefined> {
  try {
    const { rows: [row] } = await client.query<{ cluster_id: string; incarnation: number; jobs: string }>('select cluster_id, incarnation, (select count(*) from job)::text as jobs from cluster');
    return row && { clusterId: row.cluster_id, incarnation: row.incarnation, jobs: Number(row.jobs) };
  } catch (error) {
    if (error instanceof pg.DatabaseError) return undefined;
    throw error;
  }
}

async function chooseIncarnation({ config, bus, aboveIncarnation }: RestoreRequest, manifest: Manifest, database: number | undefined): Promise<number> {
  const used: UsedIncarnations = {
    backup: manifest.incarnation, database,
    file: await readIncarnationFile(config, manifest.clusterId),
    nats: await readIncarnationFromNats(bus, manifest.clusterId),
  };
  if (!isWitnessed(used) && aboveIncarnation === undefined) {
    throw new BackupError('incarnation_unknown', 'neither the old database nor NATS nor a file of this machine says which incarnation was used last',
      `Start NATS, or give the highest one with --above-incarnation: agents keep it in cluster.json of their data folder; the backup says ${manifest.incarnation}.`);
  }
  return nextIncarnation(used, aboveIncarnation);
}

async function replace(client: pg.Client, { databaseUrl, folder, config, log, onProgress }: RestoreRequest, manifest: Manifest, incarnation: number): Promise<string[]> {
  await setAside(client);
  try {
    await migrateUpTo(databaseUrl, manifest.migrations.at(-1) ?? '');
    await loadRows(client, folder, manifest, incarnation, onProgress);
    const migrated = await migrateToLatest(databaseUrl);
    const db = openDb({ ...config, databaseUrl, databasePoolMax: 2, statementTimeoutMs: 0 }, log, 'restore');
    try {
      await inTransaction(db, (tx) => beginNewLife(tx, incarnation, config));
    } finally {
      await db.destroy();
    }
    await client.query('analyze');
    await dropAside(client);
    return migrated;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    await bringBack(client);
    throw error;
  }
}
