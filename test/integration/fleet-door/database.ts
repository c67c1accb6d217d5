/** A database of its own for one test file, on the Postgres of MUSTER_DATABASE_URL. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { readConfig } from '#services/platform/config.ts';
import { openDb, type Db } from '#services/platform/db.ts';
import { openLog } from '#services/platform/log.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';

export interface TestDatabase { readonly db: Db; readonly url: string; drop(): Promise<void> }

export const silentLog = openLog('test', 'silent');

export async function createDatabase(): Promise<TestDatabase> {
  const server = readConfig().databaseUrl;
  if (server === '') throw new Error('MUSTER_DATABASE_URL names no Postgres');
  const name = `muster_test_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name}`));
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  await migrateToLatest(url);
  const db = openDb({ ...readConfig(), databaseUrl: url }, silentLog, 'test');
  return {
    db, url,
    drop: async () => {
      await db.destroy();
      await withClient(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
