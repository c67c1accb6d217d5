/** SQL of API keys as their admins see them; no secret is ever read here. */
import { sql, type RawBuilder } from 'kysely';
import type { Target } from '../platform/authz-roles.ts';
import type { Db, Tx } from '../platform/db.ts';
import { targetColumns } from './bindings-store.ts';

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly org_id: string | null;
  readonly org: string | null;
  readonly team_id: string | null;
  readonly team: string | null;
  readonly team_org: string | null;
  readonly created_at: Date;
  readonly created_by: string | null;
  readonly expires_at: Date | null;
  readonly rotated_at: Date | null;
  /** the secret before the last rotation is valid until then; null where it is over */
  readonly previous_until: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}

export interface KeyValues {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly target: Target;
  readonly secretSha256: Buffer;
  readonly expiresAt: Date | null;
  readonly createdBy: string | null;
}

export async function insertKey(tx: Tx, key: KeyValues): Promise<void> {
  await tx.insertInto('api_key').values({
    id: key.id, name: key.name, scopes: [...key.scopes], secret_sha256: key.secretSha256, expires_at: key.expiresAt, created_by: key.createdBy, ...targetColumns(key.target),
  }).execute();
}

const read = (db: Db | Tx, condition: RawBuilder<unknown>) => sql<KeyRow>`
  select b.id, b.name, b.scopes, b.org_id, o.name as org, b.team_id, t.name as team, t.org_id as team_org, b.created_at, b.created_by, b.expires_at, b.rotated_at,
    case when b.previous_until > clock_timestamp() then b.previous_until end as previous_until, b.revoked_at, b.last_used_at
  from api_key b left join org o on o.id = b.org_id left join team t on t.id = b.team_id
  where ${condition}`.execute(db).then(({ rows }) => rows);

/** @param visible  condition on `b`: the owners whose keys the actor may read */
export const listKeyRows = (db: Db | Tx, visible: RawBuilder<boolean>, after: string | undefined, limit: number): Promise<KeyRow[]> =>
  read(db, sql`${visible} and b.id > ${after ?? ''} order by b.id limit ${limit}`);

/** @param lock  of the row, until the transaction ends */
export async function findKey(db: Db | Tx, id: string, lock = false): Promise<KeyRow | undefined> {
  return (await read(db, lock ? sql`b.id = ${id} for update of b` : sql`b.id = ${id}`))[0];
}

/** The secret of now stays valid for `overlapSeconds`; one that was left from an earlier rotation ends. */
export async function replaceSecret(tx: Tx, id: string, secretSha256: Buffer, overlapSeconds: number): Promise<void> {
  await sql`
    update api_key set previous_sha256 = case when ${overlapSeconds} > 0 then secret_sha256 end,
      previous_until = case when ${overlapSeconds} > 0 then clock_timestamp() + make_interval(secs => ${overlapSeconds}) end,
      secret_sha256 = ${secretSha256}, rotated_at = clock_timestamp()
    where id = ${id}`.execute(tx);
}

export async function markRevoked(tx: Tx, id: string): Promise<void> {
  await sql`update api_key set revoked_at = clock_timestamp(), previous_sha256 = null, previous_until = null where id = ${id} and revoked_at is null`.execute(tx);
}
