/** SQL of teams. */
import type { Selectable } from 'kysely';
import type { DB } from '../platform/database.ts';
import type { Db, Tx } from '../platform/db.ts';

export type TeamRow = Selectable<DB['team']>;

export async function teamNamed(db: Db | Tx, name: string): Promise<TeamRow | undefined> {
  return db.selectFrom('team').selectAll().where('name', '=', name).executeTakeFirst();
}

/** @returns undefined, where one of that name exists */
export async function insertTeam(tx: Tx, team: Pick<TeamRow, 'id' | 'org_id' | 'name'>): Promise<TeamRow | undefined> {
  return tx.insertInto('team').values(team).onConflict((conflict) => conflict.column('name').doNothing()).returningAll().executeTakeFirst();
}

/** Names after `after`, in their order; at most `limit`. */
export async function listTeams(db: Db, after: string | undefined, limit: number): Promise<TeamRow[]> {
  let query = db.selectFrom('team').selectAll().orderBy('name').limit(limit);
  if (after !== undefined) query = query.where('name', '>', after);
  return query.execute();
}
