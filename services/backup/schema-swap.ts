/** A restore builds its schema beside the old one, which comes back when it fails: nothing is half restored. */
import type { Client } from 'pg';

const live = 'public';
const aside = 'muster_before_restore';

/**
 * Sets the present schema aside and makes an empty one. One that an interrupted restore had set aside is the original:
 * it stays, and what that restore had built goes.
 */
export async function setAside(client: Client): Promise<void> {
  await client.query('begin');
  if (await exists(client, aside)) await client.query(`drop schema if exists ${live} cascade`);
  else await client.query(`alter schema ${live} rename to ${aside}`);
  await client.query(`create schema ${live}`);
  await client.query(`grant usage on schema ${live} to public`);
  await client.query('commit');
}

export async function bringBack(client: Client): Promise<void> {
  await client.query('begin');
  await client.query(`drop schema if exists ${live} cascade`);
  await client.query(`alter schema ${aside} rename to ${live}`);
  await client.query('commit');
}

export async function dropAside(client: Client): Promise<void> {
  await client.query(`drop schema if exists ${aside} cascade`);
}

async function exists(client: Client, schema: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema]);
  return rowCount === 1;
}
