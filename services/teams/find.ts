import type { TeamScope } from '../platform/authz-scope.ts';
import type { Db, Tx } from '../platform/db.ts';
import { teamNamed, teamsNamed, type TeamRow } from './store.ts';

/** The team of a name, for rooms that refer to it. @returns undefined, where there is none within the scope */
export async function findTeam(db: Db | Tx, scope: TeamScope, name: string): Promise<TeamRow | undefined> {
  const team = await teamNamed(db, name);
  return team && scope.includes(team.id) ? team : undefined;
}

export type Team = Pick<TeamRow, 'id' | 'name'>;

/** Teams of these names, whoever asks: the caller compares them with what it may touch. */
export async function findTeams(db: Db | Tx, names: readonly string[]): Promise<ReadonlyMap<string, Team>> {
  return new Map((await teamsNamed(db, names)).map((team) => [team.name, team]));
}
