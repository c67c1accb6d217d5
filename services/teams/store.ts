/** SQL of organisations and teams. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { TeamScope } from '../platform/authz-scope.ts';
import type { DB } from '../platform/database.ts';
import type { Db, Tx } from '../platform/db.ts';

export type TeamRow = Selectable<DB['team']>;
export type OrgRow = Selectable<DB['org']>;

export async function teamsNamed(db: Db | Tx, names: readonly string[]): Promise<Pick<TeamRow, 'id' | 'name'>[]> {
  const { rows } = await sql<Pick<TeamRow, 'id' | 'name'>>`select id, name from team where name = any(${[...names]}::text[])`.execute(db);
  return rows;
}

export async function teamNamed(db: Db | Tx, name: string): Promise<TeamRow | undefined> {
  return db.selectFrom('team').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function orgNamed(db: Db | Tx, name: string): Promise<OrgRow | undefined> {
  return db.selectFrom('org').selectAll().where('name', '=', name).executeTakeFirst();
}

/** @returns undefined, where one of that name exists */
export async function insertTeam(tx: Tx, team: Pick<TeamRow, 'id' | 'org_id' | 'name'>): Promise<TeamRow | undefined> {
  return tx.insertInto('team').values(team).onConflict((conflict) => conflict.column('name').doNothing()).returningAll().executeTakeFirst();
}

/** @returns undefined, where one of that name exists */
export async function insertOrg(tx: Tx, org: Pick<OrgRow, 'id' | 'name'>): Promise<OrgRow | undefined> {
  return tx.insertInto('org').values(org).onConflict((conflict) => conflict.column('name').doNothing()).returningAll().executeTakeFirst();
}

export interface ListedTeam extends TeamRow { readonly org: string }

/** Names after `after`, in their order; at most `limit`. */
export async function listTeams(db: Db, scope: TeamScope, after: string | undefined, limit: number): Promise<ListedTeam[]> {
  const { rows } = await sql<ListedTeam>`
    select t.*, o.name as org from team t join org o on o.id = t.org_id
    where ${scope.where(sql`t.id`)} and t.name > ${after ?? ''} order by t.name limit ${limit}`.execute(db);
  return rows;
}

/** @param visible  condition on `o` */
export async function listOrgs(db: Db, visible: RawBuilder<boolean>, after: string | undefined, limit: number): Promise<OrgRow[]> {
  const { rows } = await sql<OrgRow>`select o.* from org o where ${visible} and o.name > ${after ?? ''} order by o.name limit ${limit}`.execute(db);
  return rows;
}
