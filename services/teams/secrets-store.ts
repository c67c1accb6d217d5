/** SQL of job secrets. */
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db.ts';
import type { Sealed } from './sealing.ts';

export interface SecretRow { readonly name: string; readonly version: number; readonly created_at: Date; readonly changed_at: Date; readonly changed_by: string | null }
export interface SealedRow { readonly name: string; readonly version: number; readonly key_id: string; readonly nonce: Buffer; readonly sealed: Buffer }

/** Names only. */
export async function listSecretRows(db: Db, teamId: string, after: string | undefined, limit: number): Promise<SecretRow[]> {
  return db.selectFrom('job_secret').select(['name', 'version', 'created_at', 'changed_at', 'changed_by'])
    .where('team_id', '=', teamId).where('name', '>', after ?? '').orderBy('name').limit(limit).execute();
}

/** Locks the row, where there is one. @returns its version */
export async function lockSecret(tx: Tx, teamId: string, name: string): Promise<number | undefined> {
  return (await tx.selectFrom('job_secret').select('version').where('team_id', '=', teamId).where('name', '=', name).forUpdate().executeTakeFirst())?.version;
}

/** One at a time a team, so that two first puts of a name, or of the last free place, follow each other. */
export async function lockSecretsOf(tx: Tx, teamId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`secrets ${teamId}`}, 0))`.execute(tx);
  const { count } = await tx.selectFrom('job_secret').select((row) => row.fn.countAll<bigint>().as('count')).where('team_id', '=', teamId).executeTakeFirstOrThrow();
  return Number(count);
}

export async function writeSecret(tx: Tx, teamId: string, name: string, version: number, { keyId, nonce, sealed }: Sealed, by: string): Promise<SecretRow> {
  const values = { version, key_id: keyId, nonce, sealed, changed_by: by };
  return tx.insertInto('job_secret').values({ team_id: teamId, name, ...values })
    .onConflict((on) => on.columns(['team_id', 'name']).doUpdateSet({ ...values, changed_at: sql<Date>`clock_timestamp()` }))
    .returning(['name', 'version', 'created_at', 'changed_at', 'changed_by']).executeTakeFirstOrThrow();
}

export async function deleteSecretRow(tx: Tx, teamId: string, name: string): Promise<void> {
  await tx.deleteFrom('job_secret').where('team_id', '=', teamId).where('name', '=', name).execute();
}

/** Keeps them from being deleted until the transaction ends. @returns the names that are there */
export async function shareSecrets(tx: Tx, teamId: string, names: readonly string[]): Promise<string[]> {
  const rows = await tx.selectFrom('job_secret').select('name').where('team_id', '=', teamId).where('name', 'in', [...names]).orderBy('name').forShare().execute();
  return rows.map((row) => row.name);
}

export async function readSealed(tx: Tx, teamId: string, names: readonly string[]): Promise<SealedRow[]> {
  return tx.selectFrom('job_secret').select(['name', 'version', 'key_id', 'nonce', 'sealed']).where('team_id', '=', teamId).where('name', 'in', [...names]).execute();
}

/** A job of the team that has not ended and names the secret. */
export async function userOfSecret(tx: Tx, teamId: string, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from job where team_id = ${teamId} and state not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED')
      and spec ? 'secrets' and exists (select from jsonb_each_text(spec -> 'secrets') s where s.value = ${name}) limit 1`.execute(tx);
  return rows[0]?.id;
}
