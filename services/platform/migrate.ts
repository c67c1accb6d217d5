/** Migrations: forward only, in order, each in a transaction; two migrators at once wait for each other (SV30). */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Kysely, Migrator, PostgresDialect, type Migration, type MigrationProvider } from 'kysely';
import pg from 'pg';
import { repositoryRoot } from './config.ts';

const folder = path.join(repositoryRoot, 'migrations');

const provider: MigrationProvider = {
  async getMigrations() {
    const names = (await readdir(folder)).filter((name) => /^\d{4}_.+\.ts$/.test(name)).sort();
    const entries = await Promise.all(
      names.map(async (name) => [name.slice(0, -3), (await import(pathToFileURL(path.join(folder, name)).href)) as Migration] as const),
    );
    return Object.fromEntries(entries);
  },
};

async function withMigrator<T>(databaseUrl: string, work: (migrator: Migrator) => Promise<T>): Promise<T> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'muster-migrate' }) }) });
  try {
    return await work(new Migrator({ db, provider }));
  } finally {
    await db.destroy();
  }
}

/** Applies what is missing. @returns the names applied by this call @throws the migration's own error */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) => {
    const { error, results } = await migrator.migrateToLatest();
    if (error) throw error instanceof Error ? error : new Error(String(error));
    return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
  });
}

/** Names of migrations that the database lacks. */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) =>
    (await migrator.getMigrations()).filter((migration) => !migration.executedAt).map((migration) => migration.name));
}
