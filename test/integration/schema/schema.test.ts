import { readFile } from 'node:fs/promises';
import { expect, inject, it } from 'vitest';
import { dumpSchema } from '#infra/schema/dump.ts';
import { generateTypes } from '#infra/schema/types.ts';
import { schemaFile, typesFile } from '#infra/schema/write.ts';
import { migrateToLatest, pendingMigrations } from '#services/platform/migrate.ts';
import { createEmptyDatabase, createTestDatabase } from '../../setup/database.ts';

const withDatabase = async (work: (url: string) => Promise<void>): Promise<void> => {
  const database = await createTestDatabase(inject('postgresUrl'));
  try {
    await work(database.url);
  } finally {
    await database.drop();
  }
};

it('SV32 all migrations together are the committed schema', () => withDatabase(async (url) => {
  expect(await dumpSchema(url)).toBe(await readFile(schemaFile, 'utf8'));
}));

it('the committed types are those of the migrated database', () => withDatabase(async (url) => {
  expect(await generateTypes(url)).toBe(await readFile(typesFile, 'utf8'));
}));

it('SV30 two migrators at once on an empty database: each migration is applied once and neither fails', async () => {
  const database = await createEmptyDatabase(inject('postgresUrl'));
  try {
    const applied = await Promise.all([migrateToLatest(database.url), migrateToLatest(database.url)]);
    const names = applied.flat();
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(await pendingMigrations(database.url)).toEqual([]);
  } finally {
    await database.drop();
  }
});
