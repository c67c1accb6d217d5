/**
 * A backup: all tables out of one snapshot, as COPY streams into files. The server needs no program of its own for it,
 * and memory stays at a few chunks whatever the size.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BackupError, backupFormat, backupFormatVersion, excludedTables, manifestFile, type Manifest, type Progress, type TableFile } from './model.ts';
import { quoted, tablesToCopy, type TableShape } from './tables.ts';

export interface BackupRequest {
  /** of the owner: the services' role may not read everything for ever */
  readonly databaseUrl: string;
  /** must not exist */
  readonly folder: string;
  readonly onProgress?: Progress;
}

/**
 * Takes a backup while everything runs. It is complete when its folder has its name: until then it is called
 * `<folder>.partial`, and a failure removes it. The snapshot holds vacuum back for as long as it takes.
 *
 * @throws BackupError `folder_exists` · `not_migrated`
 */
export async function takeBackup({ databaseUrl, folder, onProgress }: BackupRequest): Promise<Manifest> {
  if (existsSync(folder)) throw new BackupError('folder_exists', `${folder} exists`, 'Give a folder that does not exist yet.');
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'backup' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const manifest = await copyAll(client, partial, onProgress);
    await client.query('commit');
    await writeDurably(path.join(partial, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
    renameSync(partial, folder);
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await client.end();
  }
}

async function copyAll(client: pg.Client, folder: string, onProgress?: Progress): Promise<Manifest> {
  const about = await describe(client);
  const shapes = await tablesToCopy(client);
  const totalBytes = shapes.reduce((sum, shape) => sum + shape.bytesEstimate, 0);
  const tables: TableFile[] = [];
  let bytes = 0;
  for (const shape of shapes) {
    const file = await copyTable(client, folder, shape, (chunk) => {
      bytes += chunk;
      onProgress?.({ phase: shape.table, bytes, totalBytes: Math.max(totalBytes, bytes) });
    });
    tables.push(file);
  }
  onProgress?.({ phase: 'done', bytes, totalBytes: bytes });
  return {
    format: backupFormat, formatVersion: backupFormatVersion, ...about, tables,
    excluded: Object.entries(excludedTables).map(([table, reason]) => ({ table, reason })),
  };
}

async function describe(client: pg.Client): Promise<Pick<Manifest, 'takenAt' | 'clusterId' | 'incarnation' | 'migrations' | 'postgres' | 'auditMonths'>> {
  const { rows: [migrated] } = await client.query<{ there: boolean }>(`select to_regclass('kysely_migration') is not null and to_regclass('cluster') is not null as there`);
  if (!migrated?.there) throw new BackupError('not_migrated', 'the database has none of our tables', 'Check MUSTER_DATABASE_URL; muster up makes the tables.');
  const { rows: [row] } = await client.query<{ taken_at: Date; cluster_id: string; incarnation: number; migrations: string[]; postgres: string; months: string[] | null }>(`
    select clock_timestamp() as taken_at, cluster_id, incarnation, current_setting('server_version') as postgres,
      (select array_agg(name::text order by name) from kysely_migration) as migrations,
      (select array_agg(substr(c.relname, 8)::text order by 1) from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'audit'::regclass and c.relname ~ '^audit_p[0-9]{6}$') as months
    from cluster`);
  if (!row) throw new BackupError('not_migrated', 'the database names no cluster', 'Check MUSTER_DATABASE_URL.');
  return { takenAt: row.taken_at.toISOString(), clusterId: row.cluster_id, incarnation: row.incarnation, migrations: row.migrations, postgres: row.postgres, auditMonths: row.months ?? [] };
}

async function copyTable(client: pg.Client, folder: string, { table, columns }: TableShape, onBytes: (bytes: number) => void): Promise<TableFile> {
  const file = `${table}.copy`;
  const rows = client.query(copyTo(`copy (select ${columns.map(quoted).join(', ')} from ${quoted(table)}) to stdout`));
  const counted = new Digest(onBytes);
  await pipeline(rows, counted, createWriteStream(path.join(folder, file), { mode: 0o600, flush: true }));
  return { table, file, columns, rows: counted.lines, bytes: counted.bytes, sha256: counted.hex() };
}

/** Passes on what it hashes and counts. In COPY's text format a line is a row: a newline within a value is escaped. */
export class Digest extends Transform {
  readonly #hash = createHash('sha256');
  readonly #onBytes: (bytes: number) => void;
  lines = 0;
  bytes = 0;

  constructor(onBytes: (bytes: number) => void) {
    super();
    this.#onBytes = onBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.lines += 1;
    this.#onBytes(chunk.length);
    done(null, chunk);
  }

  hex(): string { return this.#hash.digest('hex'); }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
