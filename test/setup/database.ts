/** A database a test file, cloned from one that has all migrations (graphile/worker's way, stack.md 6.1.2). */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { repositoryRoot } from '#services/platform/config.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';

export interface TestDatabase {
  readonly name: string;
  /** of its owner */
  readonly url: string;
  drop(): Promise<void>;
}

/** Serialises the makers of the template; any number will do, as long as it is ours. */
const templateLock = 7_390_112;

/** A database without any table. */
export async function createEmptyDatabase(serverUrl: string): Promise<TestDatabase> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  const name = `muster_test_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${name}`);
  await admin.end();
  return { name, url: urlOf(serverUrl, name), drop: () => drop(serverUrl, name) };
}

/** @param serverUrl  of any database of the test server, with the right to create others */
export async function createTestDatabase(serverUrl: string): Promise<TestDatabase> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  try {
    const template = await ensureTemplate(admin, serverUrl);
    const name = `muster_test_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${name} template ${template}`);
    return { name, url: urlOf(serverUrl, name), drop: () => drop(serverUrl, name) };
  } finally {
    await admin.end();
  }
}

async function ensureTemplate(admin: pg.Client, serverUrl: string): Promise<string> {
  const template = `muster_template_${await migrationsHash()}`;
  await admin.query('select pg_advisory_lock($1)', [templateLock]);
  const { rowCount } = await admin.query('select 1 from pg_database where datname = $1 and datistemplate', [template]);
  if (rowCount) {
    await admin.query('select pg_advisory_unlock($1)', [templateLock]);
    return template;
  }
  await admin.query(`drop database if exists ${template}`); // left by a maker that died
  await admin.query(`create database ${template}`);
  await migrateToLatest(urlOf(serverUrl, template));
  await admin.query(`alter database ${template} is_template true`);
  await admin.query('select pg_advisory_unlock($1)', [templateLock]);
  return template;
}

async function migrationsHash(): Promise<string> {
  const folder = path.join(repositoryRoot, 'migrations');
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort()) {
    hash.update(name).update(await readFile(path.join(folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

async function drop(serverUrl: string, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
}

export function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
