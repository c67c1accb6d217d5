/** SQL of enrolment tokens and node credentials. */
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db.ts';

export interface NewToken { readonly id: string; readonly tokenSha256: Buffer; readonly node: string | null; readonly ttlSeconds: number }

/** @returns when it expires */
export async function insertToken(db: Db | Tx, token: NewToken): Promise<Date> {
  const row = await db.insertInto('enrolment_token').values({
    id: token.id, token_sha256: token.tokenSha256, node_id: token.node,
    expires_at: sql<Date>`clock_timestamp() + make_interval(secs => ${token.ttlSeconds})`,
  }).returning('expires_at').executeTakeFirstOrThrow();
  return row.expires_at;
}

export interface TokenRow { readonly id: string; readonly node: string | null; readonly isUsed: boolean; readonly isExpired: boolean }

export async function findToken(db: Db | Tx, tokenSha256: Buffer, lock = false): Promise<TokenRow | undefined> {
  let query = db.selectFrom('enrolment_token')
    .select(['id', 'node_id', 'used_at', sql<boolean>`expires_at <= clock_timestamp()`.as('is_expired')])
    .where('token_sha256', '=', tokenSha256);
  if (lock) query = query.forUpdate();
  const row = await query.executeTakeFirst();
  return row && { id: row.id, node: row.node_id, isUsed: row.used_at !== null, isExpired: row.is_expired };
}

export async function useToken(tx: Tx, tokenId: string, node: string): Promise<void> {
  await tx.updateTable('enrolment_token').set({ used_at: sql<Date>`clock_timestamp()`, used_by: node }).where('id', '=', tokenId).execute();
}

/** Tokens that ended so long ago that nobody asks what became of them. @returns how many went */
export async function deleteEndedTokens(db: Db, olderThanSeconds: number): Promise<number> {
  const result = await db.deleteFrom('enrolment_token')
    .where('expires_at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${olderThanSeconds})`).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** @returns false, when the node was there already */
export async function insertNode(tx: Tx, node: string): Promise<boolean> {
  const row = await tx.insertInto('node').values({ id: node }).onConflict((on) => on.doNothing()).returning('id').executeTakeFirst();
  return row !== undefined;
}

export interface CredentialRow { readonly version: number; readonly secretSha256: Buffer; readonly nextSha256: Buffer | null; readonly isRevoked: boolean }

export async function findCredential(db: Db | Tx, node: string): Promise<CredentialRow | undefined> {
  const row = await db.selectFrom('node_credential').select(['version', 'secret_sha256', 'next_sha256', 'revoked_at']).where('node_id', '=', node).executeTakeFirst();
  return row && { version: row.version, secretSha256: row.secret_sha256, nextSha256: row.next_sha256, isRevoked: row.revoked_at !== null };
}

/** Puts a new secret into force; the old one ends with it. @returns its version */
export async function replaceCredential(tx: Tx, node: string, secretSha256: Buffer): Promise<number> {
  const row = await tx.insertInto('node_credential').values({ node_id: node, secret_sha256: secretSha256 })
    .onConflict((on) => on.column('node_id').doUpdateSet({
      version: sql<number>`node_credential.version + 1`, secret_sha256: secretSha256, created_at: sql<Date>`clock_timestamp()`, revoked_at: null,
      next_sha256: null, rotation_ordered_at: null,
    }))
    .returning('version').executeTakeFirstOrThrow();
  return row.version;
}

/** @returns false, where none is in force */
export async function orderRotationRow(tx: Tx, node: string): Promise<boolean> {
  const row = await tx.updateTable('node_credential').set({ rotation_ordered_at: sql<Date>`coalesce(rotation_ordered_at, clock_timestamp())` })
    .where('node_id', '=', node).where('revoked_at', 'is', null).returning('node_id').executeTakeFirst();
  return row !== undefined;
}

/** Accepts an offered secret beside the one of `version`. @returns false, where that is no longer the one in force */
export async function acceptNext(tx: Tx, node: string, version: number, nextSha256: Buffer): Promise<boolean> {
  const row = await tx.updateTable('node_credential').set({ next_sha256: nextSha256 })
    .where('node_id', '=', node).where('version', '=', version).where('revoked_at', 'is', null).where('rotation_ordered_at', 'is not', null)
    .returning('node_id').executeTakeFirst();
  return row !== undefined;
}

/** The offered secret takes the place of the one of `version`, which ends. */
export async function promoteNext(tx: Tx, node: string, version: number): Promise<void> {
  await sql`
    update node_credential set version = version + 1, secret_sha256 = next_sha256, created_at = clock_timestamp(), next_sha256 = null, rotation_ordered_at = null
    where node_id = ${node} and version = ${version} and next_sha256 is not null and revoked_at is null`.execute(tx);
}

/** @returns whether one was in force */
export async function revokeCredentialRow(tx: Tx, node: string): Promise<boolean> {
  const row = await tx.updateTable('node_credential').set({ revoked_at: sql<Date>`clock_timestamp()` })
    .where('node_id', '=', node).where('revoked_at', 'is', null).returning('node_id').executeTakeFirst();
  return row !== undefined;
}

export async function clusterId(db: Db | Tx): Promise<string> {
  return (await db.selectFrom('cluster').select('cluster_id').executeTakeFirstOrThrow()).cluster_id;
}
