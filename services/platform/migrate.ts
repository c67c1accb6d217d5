/** Migrations: forward only, in order, each in a transaction; two migrators at once wait for each other (SV30). */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Kysely, Migrator, PostgresDialect, sql, type Migration, type MigrationProvider, type MigrationResultSet } from 'kysely';
import pg from 'pg';
import { repositoryRoot } from './config.ts';

const folder = path.join(repositoryRoot, 'migrations');

/** What a file in migrations/ exports. */
export interface OwnMigration extends Migration {
  /** why roles of the version before can't run against the schema any more; absent: they can (docs/adding-a-migration.md) */
  readonly breaking?: string;
}

const provider: MigrationProvider = {
  async getMigrations() {
    const names = await knownMigrations();
    const entries = await Promise.all(
      names.map(async (name) => [name, recorded(name, (await import(pathToFileURL(path.join(folder, `${name}.ts`)).href)) as OwnMigration)] as const),
    );
    return Object.fromEntries(entries);
  },
};

/** A breaking one is recorded in its own transaction: roles that don't have its file learn of it from there. */
export function recorded(name: string, migration: OwnMigration): Migration {
  const { breaking } = migration;
  if (breaking === undefined) return migration;
  return {
    up: async (db: Kysely<unknown>) => {
      await migration.up(db);
      await sql`insert into breaking_migration (name, reason) values (${name}, ${breaking})`.execute(db);
    },
  };
}

/** Names of the migrations that this version has, in order. */
export async function knownMigrations(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{4}_.+\.ts$/.test(name)).map((name) => name.slice(0, -3)).sort();
}

async function withMigrator<T>(databaseUrl: string, work: (migrator: Migrator) => Promise<T>): Promise<T> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 2, application_name: 'muster-migrate' }) }) });
  try {
    // Named: during a restore the old tables stand in another schema, and the migrator would find its own there.
    return await work(new Migrator({ db, provider, migrationTableSchema: 'public' }));
  } finally {
    await db.destroy();
  }
}

/** Applies what is missing. @returns the names applied by this call @throws the migration's own error */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) => appliedBy(await migrator.migrateToLatest()));
}

/** Applies what is missing up to and including `name`: the schema that a backup was taken of. */
export async function migrateUpTo(databaseUrl: string, name: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) => appliedBy(await migrator.migrateTo(name)));
}

function appliedBy({ error, results }: MigrationResultSet): string[] {
  if (error) throw error instanceof Error ? error : new Error(String(error));
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName);
}

/** Names of migrations that the database lacks. */
export async function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withMigrator(databaseUrl, async (migrator) =>
    (await migrator.getMigrations()).filter((migration) => !migration.executedAt).map((migration) => migration.name));
}
