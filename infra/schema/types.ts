/** The types of the tables, from a migrated database. */
import { execa } from 'execa';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { repositoryRoot } from '#services/platform/config.ts';

/** @returns what services/platform/database.ts must hold */
export async function generateTypes(databaseUrl: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'muster-types-'));
  const file = path.join(folder, 'database.ts');
  try {
    await execa(process.execPath, [
      path.join(repositoryRoot, 'node_modules/kysely-codegen/dist/cli/bin.js'),
      '--dialect', 'postgres', '--url', 'env(MUSTER_CODEGEN_URL)', '--out-file', file,
      '--type-mapping', '{"int8":"bigint","timestamptz":"Date"}', '--exclude-pattern', 'kysely_*',
    ], { cwd: repositoryRoot, env: { MUSTER_CODEGEN_URL: databaseUrl }, timeout: 60_000 });
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
