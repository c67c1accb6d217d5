/**
 * Which teams' objects a query may touch. Every operation on a tenant's object takes one, so that forgetting it does not
 * compile; what lies outside is treated as if it did not exist.
 */
import { sql, type RawBuilder } from 'kysely';
import { grantsFor, type Actor, type Scope } from './authz-roles.ts';

export class TeamScope {
  /** For the control plane's own work and for roles on the whole cluster. */
  static readonly everyTeam = new TeamScope(undefined);

  readonly #teamIds: ReadonlySet<string> | undefined;

  private constructor(teamIds: ReadonlySet<string> | undefined) {
    this.#teamIds = teamIds;
  }

  static of(teamIds: Iterable<string>): TeamScope {
    return new TeamScope(new Set(teamIds));
  }

  get isEveryTeam(): boolean { return this.#teamIds === undefined; }

  includes(teamId: string): boolean {
    return this.#teamIds === undefined || this.#teamIds.has(teamId);
  }

  /** The condition of a query. @param teamColumn  `j.team_id` */
  where(teamColumn: RawBuilder<unknown>): RawBuilder<boolean> {
    return this.#teamIds === undefined ? sql<boolean>`true` : sql<boolean>`${teamColumn} = any(${[...this.#teamIds]}::text[])`;
  }

  equals(other: TeamScope): boolean {
    if (this.#teamIds === undefined || other.#teamIds === undefined) return this.#teamIds === other.#teamIds;
    return this.#teamIds.size === other.#teamIds.size && [...this.#teamIds].every((teamId) => other.includes(teamId));
  }
}

/** What a request may touch: `see`, or it is 404; `act`, or it is 403. The same for a route that reads. */
export interface Access { readonly see: TeamScope; readonly act: TeamScope }

/** @returns undefined, where the actor may do it nowhere */
export function accessOf(actor: Actor, scope: Scope): Access | undefined {
  const act = grantsFor(actor, scope);
  if (act.length === 0) return undefined;
  return { act: teamsOf(act), see: teamsOf([...act, ...grantsFor(actor, scope.replace(/:write$/, ':read') as Scope)]) };
}

function teamsOf(grants: ReturnType<typeof grantsFor>): TeamScope {
  if (grants.some((grant) => grant.on === 'cluster')) return TeamScope.everyTeam;
  return TeamScope.of(grants.flatMap((grant) => (grant.on === 'org' ? grant.teams : grant.on === 'team' ? [grant.team] : [])));
}
