/** SQL of what principals were granted. */
import { sql, type RawBuilder } from 'kysely';
import type { Grant, Role } from '../platform/authz-roles.ts';
import type { Db, Tx } from '../platform/db.ts';

/** One binding with the teams that it reaches. */
export interface GrantRow { readonly role: Role; readonly org: string | null; readonly team: string | null; readonly teams: readonly string[] | null }

/** JSON array of GrantRow for the bindings that `condition` picks of `role_binding b`. */
export const grantsWhere = (condition: RawBuilder<unknown>): RawBuilder<readonly GrantRow[]> => sql<readonly GrantRow[]>`
  coalesce((select json_agg(json_build_object('role', b.role, 'org', b.org_id, 'team', b.team_id,
    'teams', case when b.org_id is not null then (select coalesce(json_agg(t.id), '[]') from team t where t.org_id = b.org_id) end))
    from role_binding b where ${condition}), '[]')`;

export function toGrant({ role, org, team, teams }: GrantRow): Grant {
  if (team !== null) return { role, on: 'team', team };
  return org === null ? { role, on: 'cluster' } : { role, on: 'org', org, teams: teams ?? [] };
}

/** What the subject of an identity provider's token was granted, himself or by a group that the token names. */
export async function grantsOfSubject(db: Db | Tx, issuer: string, subject: string, groups: readonly string[]): Promise<Grant[]> {
  const { rows } = await sql<{ grants: readonly GrantRow[] }>`
    select ${grantsWhere(sql`b.issuer = ${issuer} and (b.principal_kind = 'subject' and b.principal = ${subject}
      or b.principal_kind = 'group' and b.principal = any(${[...groups]}::text[]))`)} as grants`.execute(db);
  return (rows[0]?.grants ?? []).map(toGrant);
}
