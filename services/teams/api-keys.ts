/**
 * API keys `mk_<id>.<secret>`: the table holds a SHA-256 of the secret, which has 256 random bits, so a slow hash would
 * add nothing (stack.md 2.3).
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor, Authenticate } from '../platform/authz.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { isId, newId } from '../platform/ids.ts';

const adminName = 'admin';
const secretBytes = 32;
const tokenPattern = /^mk_(key_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export interface NewKey { readonly name: string; readonly scopes: readonly string[]; readonly expiresAt?: Date }

/** @returns the key in plain text; it can't be read again */
export async function createApiKey(db: Db | Tx, key: NewKey): Promise<string> {
  const id = newId('key');
  const secret = randomBytes(secretBytes).toString('base64url');
  await db.insertInto('api_key').values({ id, name: key.name, secret_sha256: sha256(secret), scopes: [...key.scopes], expires_at: key.expiresAt ?? null }).execute();
  return `mk_${id}.${secret}`;
}

/** Makes the first key of a cluster, with every scope. @returns it in plain text, or null where a valid one exists */
export async function ensureAdminKey(db: Db): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    // Two stacks that start at once on one database make one key.
    await sql`select pg_advisory_xact_lock(hashtextextended('admin key', 0))`.execute(tx);
    const { rows } = await sql`
      select from api_key where name = ${adminName} and '*' = any(scopes) and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`.execute(tx);
    return rows.length > 0 ? null : createApiKey(tx, { name: adminName, scopes: ['*'] });
  });
}

/** Revokes every admin key and makes a new one: for a stack whose key file is lost. */
export async function replaceAdminKey(db: Db): Promise<string> {
  return inTransaction(db, async (tx) => {
    await tx.updateTable('api_key').set({ revoked_at: sql<Date>`clock_timestamp()` }).where('name', '=', adminName).where('revoked_at', 'is', null).execute();
    return createApiKey(tx, { name: adminName, scopes: ['*'] });
  });
}

/** Looks every key up in the table, so a revocation acts at the next request. `last_used_at` is written once a minute at most. */
export function authenticateBy(db: Db): Authenticate {
  return async (token) => {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined || !isId('key', id)) return undefined;
    const { rows } = await sql<{ name: string; scopes: string[]; secret_sha256: Buffer; valid: boolean; stale: boolean }>`
      select name, scopes, secret_sha256,
        revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as valid,
        last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute' as stale
      from api_key where id = ${id}`.execute(db);
    const key = rows[0];
    if (!key || !timingSafeEqual(key.secret_sha256, sha256(secret)) || !key.valid) return undefined;
    if (key.stale) await noteUse(db, id);
    return { id, name: key.name, scopes: key.scopes } satisfies Actor;
  };
}

async function noteUse(db: Db, id: string): Promise<void> {
  await sql`
    update api_key set last_used_at = clock_timestamp()
    where id = ${id} and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`.execute(db);
}
