/** The OpenAPI document and the typed client, both derived from the routes; committed, and compared in a test. */
import path from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { readConfig, repositoryRoot } from '#services/platform/config.ts';
import { openDb } from '#services/platform/db.ts';
import { openLog } from '#services/platform/log.ts';
import { createApi } from '#services/roles/api.ts';

export const documentFile = path.join(repositoryRoot, 'docs', 'openapi.json');
export const clientFile = path.join(repositoryRoot, 'services', 'cli', 'schema.ts');

/** The document as text, with the default bounds. Touches no database: the pool connects only when it is asked. */
export async function writeDocument(): Promise<string> {
  const config = { ...readConfig({}), databaseUrl: 'postgres://nowhere.invalid/' };
  const log = openLog('openapi', 'silent');
  const db = openDb(config, log, 'openapi');
  const app = await createApi({ db, config, log, bus: () => undefined });
  try {
    return `${JSON.stringify(app.swagger(), null, 1)}\n`;
  } finally {
    await app.close();
    await db.destroy();
  }
}

export async function writeClient(document: string): Promise<string> {
  const header = '/** Generated from docs/openapi.json by `muster openapi`; change the routes instead. */\n';
  return header + astToString(await openapiTS(JSON.parse(document) as OpenAPI3, { defaultNonNullable: false }));
}
