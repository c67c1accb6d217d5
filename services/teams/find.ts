import type { Db, Tx } from '../platform/db.ts';
import { teamNamed, type TeamRow } from './store.ts';

/** The team of a name, for rooms that refer to it. @returns undefined, where there is none */
export async function findTeam(db: Db | Tx, name: string): Promise<TeamRow | undefined> {
  return teamNamed(db, name);
}
