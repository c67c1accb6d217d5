/**
 * API keys `mk_<id>.<secret>`: the table holds a SHA-256 of the secret, which has 256 random bits, so a slow hash would
 * add nothing (stack.md 2.3). A key is a service account: its roles stand in `role_binding`, its scopes narrow them.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Role, Target } from '../platform/authz-roles.ts';
import type { Actor, Authenticate } from '../platform/authz.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { gather } from '../platform/gather.ts';
import { isId, newId } from '../platform/ids.ts';
import { bindRole } from './bindings-store.ts';
import { grantsWhere, toGrant, type GrantRow } from './grants.ts';
import { insertKey } from './keys-store.ts';

const adminName = 'admin';
const secretBytes = 32;
const tokenPattern = /^mk_(key_[0-9a-z]{26})\.([A-Za-z0-9_-]{43})$/;

export const isKeyToken = (token: string): boolean => token.startsWith('mk_');

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export interface IssuedKey {
  readonly id: string;
  /** in plain text; it can't be read again */
  readonly key: string;
}

export interface KeyRequest {
  readonly name: string;
  /** narrow the role */
  readonly scopes: readonly string[];
  readonly role: Role;
  /** what the role is bound to; its admins see, rotate and revoke the key */
  readonly target: Target;
  readonly expiresAt?: Date | undefined;
  readonly createdBy?: string;
}

export async function issueKey(tx: Tx, { name, scopes, role, target, expiresAt, createdBy }: KeyRequest): Promise<IssuedKey> {
  const id = newId('key');
  const secret = newKeySecret();
  await insertKey(tx, { id, name, scopes, target, secretSha256: secret.sha256, expiresAt: expiresAt ?? null, createdBy: createdBy ?? null });
  await bindRole(tx, { id: newId('bind'), principal: { kind: 'key', id, issuer: '' }, role, target, createdBy: createdBy ?? null });
  return { id, key: tokenOf(id, secret.text) };
}

export const tokenOf = (id: string, secret: string): string => `mk_${id}.${secret}`;

export function newKeySecret(): { readonly text: string; readonly sha256: Buffer } {
  const text = randomBytes(secretBytes).toString('base64url');
  return { text, sha256: sha256(text) };
}

export interface NewKey { readonly name: string; readonly scopes: readonly string[]; readonly expiresAt?: Date }

/** A key of the whole cluster that may do what its scopes say: for set-up. @returns it in plain text */
export async function createApiKey(db: Db | Tx, { name, scopes, expiresAt }: NewKey): Promise<string> {
  const issue = async (tx: Tx) => (await issueKey(tx, { name, scopes, expiresAt, role: 'admin', target: { on: 'cluster' } })).key;
  return db.isTransaction ? issue(db as Tx) : inTransaction(db, issue);
}

/** Makes the first key of a cluster, admin of everything. @returns it in plain text, or null where a valid one exists */
export async function ensureAdminKey(db: Db): Promise<string | null> {
  return inTransaction(db, async (tx) => {
    // Two stacks that start at once on one database make one key.
    await sql`select pg_advisory_xact_lock(hashtextextended('admin key', 0))`.execute(tx);
    const { rows } = await sql`
      select from api_key k where name = ${adminName} and '*' = any(scopes) and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
        and exists (select from role_binding b where b.principal_kind = 'key' and b.principal = k.id and b.role = 'admin' and b.org_id is null and b.team_id is null)`.execute(tx);
    return rows.length > 0 ? null : createApiKey(tx, { name: adminName, scopes: ['*'] });
  });
}

/** Revokes every admin key of the cluster and makes a new one: for a stack whose key file is lost. */
export async function replaceAdminKey(db: Db): Promise<string> {
  return inTransaction(db, async (tx) => {
    await tx.updateTable('api_key').set({ revoked_at: sql<Date>`clock_timestamp()` })
      .where('name', '=', adminName).where('org_id', 'is', null).where('team_id', 'is', null).where('revoked_at', 'is', null).execute();
    return createApiKey(tx, { name: adminName, scopes: ['*'] });
  });
}

interface PresentedRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly secret_sha256: Buffer;
  readonly previous_sha256: Buffer | null;
  readonly valid: boolean;
  readonly stale: boolean;
  readonly grants: readonly GrantRow[];
}

/** Looks every key up in the table, so a revocation acts at the next request. `last_used_at` is written once a minute at most. */
export function authenticateBy(db: Db): Authenticate {
  // Gathered, not cached: a request is judged by what the table says after it came.
  const find = gather<string, PresentedRow | undefined>({ lanesMax: 2, itemsMax: 500 }, async (ids) => {
    const rows = await presentedKeys(db, [...new Set(ids)]);
    return ids.map((id) => rows.get(id));
  });
  return async (token) => {
    const [, id, secret] = tokenPattern.exec(token) ?? [];
    if (id === undefined || secret === undefined || !isId('key', id)) return undefined;
    const key = await find(id);
    if (!key || !isSecretOf(key, sha256(secret)) || !key.valid) return undefined;
    if (key.stale) await noteUse(db, id);
    return { id, name: key.name, scopes: key.scopes, grants: key.grants.map(toGrant) } satisfies Actor;
  };
}

async function presentedKeys(db: Db, ids: readonly string[]): Promise<Map<string, PresentedRow>> {
  const { rows } = await sql<PresentedRow>`
    select id, name, scopes, secret_sha256,
      case when previous_until > clock_timestamp() then previous_sha256 end as previous_sha256,
      revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as valid,
      last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute' as stale,
      ${grantsWhere(sql`b.principal_kind = 'key' and b.principal = k.id`)} as grants
    from api_key k where id = any(${[...ids]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Both are compared, whatever the first says: how long it takes tells nothing. */
function isSecretOf({ secret_sha256, previous_sha256 }: PresentedRow, presented: Buffer): boolean {
  const isCurrent = timingSafeEqual(secret_sha256, presented);
  const isPrevious = timingSafeEqual(previous_sha256 ?? Buffer.alloc(presented.length), presented) && previous_sha256 !== null;
  return isCurrent || isPrevious;
}

async function noteUse(db: Db, id: string): Promise<void> {
  await sql`
    update api_key set last_used_at = clock_timestamp()
    where id = ${id} and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`.execute(db);
}
