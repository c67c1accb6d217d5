/** Writes migrations/schema.sql and services/platform/database.ts from a migrated scratch database: `node infra/schema/write.ts URL`. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '#services/platform/config.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';
import { dumpSchema } from './dump.ts';
import { generateTypes } from './types.ts';

export const schemaFile = path.join(repositoryRoot, 'migrations/schema.sql');
export const typesFile = path.join(repositoryRoot, 'services/platform/database.ts');

async function main(databaseUrl: string | undefined): Promise<void> {
  if (databaseUrl === undefined) throw new Error('give the URL of an empty or migrated database');
  await migrateToLatest(databaseUrl);
  await writeFile(schemaFile, await dumpSchema(databaseUrl));
  await writeFile(typesFile, await generateTypes(databaseUrl));
}

if (import.meta.main) await main(process.argv[2]);
