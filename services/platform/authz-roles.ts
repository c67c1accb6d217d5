/**
 * Roles and what they may do, as one table. A role is bound to the whole cluster, to an organisation or to a team; the
 * scopes of a key narrow its roles and never widen them.
 */
export const roles = ['viewer', 'member', 'operator', 'admin'] as const;
export type Role = (typeof roles)[number];

interface Policy {
  /** team: objects of a team, so a role on the team or its organisation is enough · cluster: the fleet, which all tenants share */
  readonly level: 'team' | 'cluster';
  /** the least role; each includes the ones before it */
  readonly read: Role;
  readonly write: Role;
}

export const policies = {
  jobs: { level: 'team', read: 'viewer', write: 'member' },
  logs: { level: 'team', read: 'viewer', write: 'member' },
  checkpoints: { level: 'team', read: 'viewer', write: 'member' },
  events: { level: 'team', read: 'viewer', write: 'member' },
  operations: { level: 'team', read: 'viewer', write: 'member' },
  secrets: { level: 'team', read: 'member', write: 'member' },
  teams: { level: 'team', read: 'viewer', write: 'admin' },
  orgs: { level: 'team', read: 'viewer', write: 'admin' },
  bindings: { level: 'team', read: 'admin', write: 'admin' },
  keys: { level: 'team', read: 'admin', write: 'admin' },
  nodes: { level: 'cluster', read: 'viewer', write: 'operator' },
  'dead-letters': { level: 'cluster', read: 'operator', write: 'operator' },
  audit: { level: 'cluster', read: 'admin', write: 'admin' },
  overview: { level: 'cluster', read: 'viewer', write: 'operator' },
} as const satisfies Record<string, Policy>;

export type Resource = keyof typeof policies;
export const resources = Object.keys(policies) as readonly Resource[];
/** A permission: what a route asks for and what a key's scopes name. */
export type Scope = `${Resource}:${'read' | 'write'}`;
export const scopes = resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const) as readonly Scope[];

/** What a role is bound to, with the teams that it reaches there. */
export type Grant =
  | { readonly role: Role; readonly on: 'cluster' }
  | { readonly role: Role; readonly on: 'org'; readonly org: string; readonly teams: readonly string[] }
  | { readonly role: Role; readonly on: 'team'; readonly team: string };

/** Whom a request comes from, and what was granted to him. */
export interface Actor {
  /** of a key `key_…`; of a token's subject `oidc:<subject>` */
  readonly id: string;
  readonly name: string;
  /** `*`, `<resource>:*` or a scope; they narrow the grants */
  readonly scopes: readonly string[];
  readonly grants: readonly Grant[];
}

export function holds(held: readonly string[], needed: Scope): boolean {
  const resource = needed.slice(0, needed.indexOf(':'));
  return held.some((scope) => scope === '*' || scope === needed || scope === `${resource}:*`);
}

function policyOf(scope: Scope): { readonly level: 'team' | 'cluster'; readonly least: Role } {
  const [resource, verb] = scope.split(':') as [Resource, 'read' | 'write'];
  const policy: Policy = policies[resource];
  return { level: policy.level, least: policy[verb] };
}

const includes = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);

/** The permissions of a role bound at `on`: what a key of that role can do there. */
export const permissionsOf = (role: Role, on: Grant['on']): Scope[] => scopes.filter((scope) => {
  const { level, least } = policyOf(scope);
  return includes(role, least) && (level === 'team' || on === 'cluster');
});

/** The grants by which an actor may do `scope` somewhere. */
export function grantsFor(actor: Actor, scope: Scope): Grant[] {
  if (!holds(actor.scopes, scope)) return [];
  const { level, least } = policyOf(scope);
  return actor.grants.filter((grant) => includes(grant.role, least) && (level === 'team' || grant.on === 'cluster'));
}

/** Something that roles are bound to. */
export type Target =
  | { readonly on: 'cluster' }
  | { readonly on: 'org'; readonly org: string }
  | { readonly on: 'team'; readonly team: string; readonly org: string };

/** Whether an actor may do `scope` on the whole of `target`. */
export function mayOn(actor: Actor, scope: Scope, target: Target): boolean {
  return grantsFor(actor, scope).some((grant) => {
    if (grant.on === 'cluster') return true;
    if (target.on === 'org') return grant.on === 'org' && grant.org === target.org;
    return target.on === 'team' && (grant.on === 'org' ? grant.org === target.org : grant.team === target.team);
  });
}
