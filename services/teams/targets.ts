/** What roles are bound to, as requests name it: a team, an organisation, or the cluster. */
import { sql, type RawBuilder } from 'kysely';
import { grantsFor, mayOn, permissionsOf, type Actor, type Role, type Scope, type Target } from '../platform/authz-roles.ts';
import { TeamScope } from '../platform/authz-scope.ts';
import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { orgNamed, teamNamed } from './store.ts';

/** Names; neither: the cluster. */
export interface TargetNames { readonly team?: string | undefined; readonly org?: string | undefined }

/**
 * The target of names, where the actor may do `scope` on it.
 *
 * @throws `invalid_request` 400 for both names · `team_not_found`, `org_not_found` 404, for foreign ones too · `forbidden` 403
 */
export async function targetNamed(db: Db | Tx, actor: Actor, scope: Scope, { team: teamName, org: orgName }: TargetNames): Promise<Target> {
  if (teamName !== undefined && orgName !== undefined) throw problem('invalid_request', {}, [{ pointer: '/org', detail: 'give team or org, not both' }]);
  const target: Target = teamName !== undefined ? await teamTarget(db, actor, teamName) : orgName !== undefined ? await orgTarget(db, actor, orgName) : { on: 'cluster' };
  if (!mayOn(actor, scope, target)) throw problem('forbidden', { scope, ...(teamName === undefined ? {} : { team: teamName }), ...(orgName === undefined ? {} : { org: orgName }) });
  return target;
}

async function teamTarget(db: Db | Tx, actor: Actor, name: string): Promise<Target> {
  const team = await teamNamed(db, name);
  const target = team && { on: 'team' as const, team: team.id, org: team.org_id };
  if (!target || !isKnownTo(actor, target)) throw problem('team_not_found', { team: name });
  return target;
}

async function orgTarget(db: Db | Tx, actor: Actor, name: string): Promise<Target> {
  const org = await orgNamed(db, name);
  const target = org && { on: 'org' as const, org: org.id };
  if (!target || !(isKnownTo(actor, target) || await hasTeamIn(db, actor, target.org))) throw problem('org_not_found', { org: name });
  return target;
}

/** A role on a team tells of its organisation too, as GET /v1/orgs does. */
async function hasTeamIn(db: Db | Tx, actor: Actor, orgId: string): Promise<boolean> {
  const teamIds = actor.grants.flatMap((grant) => (grant.on === 'team' ? [grant.team] : []));
  if (teamIds.length === 0) return false;
  return await db.selectFrom('team').select('id').where('org_id', '=', orgId).where('id', 'in', teamIds).limit(1).executeTakeFirst() !== undefined;
}

/** Whether the actor has any role that tells him of the target; scopes don't hide what a role shows. */
function isKnownTo(actor: Actor, target: Target): boolean {
  return actor.grants.some((grant) => grant.on === 'cluster'
    || (target.on === 'team' && (grant.on === 'org' ? grant.org === target.org : grant.team === target.team))
    || (target.on === 'org' && grant.on === 'org' && grant.org === target.org));
}

/**
 * Nobody hands on more than he has: who grants `role` on `target`, narrowed to `narrowed`, holds each of its permissions
 * there himself.
 *
 * @throws `forbidden` 403 with the first permission that is missing
 */
export function requireCovers(actor: Actor, role: Role, narrowed: (scope: Scope) => boolean, target: Target): void {
  const missing = permissionsOf(role, target.on).find((scope) => narrowed(scope) && !mayOn(actor, scope, target));
  if (missing !== undefined) throw problem('forbidden', { scope: missing });
}

/** Condition on `b.org_id` and `b.team_id`: the targets on which the actor may do `scope`. */
export function targetsWhere(actor: Actor, scope: Scope): RawBuilder<boolean> {
  const grants = grantsFor(actor, scope);
  if (grants.some((grant) => grant.on === 'cluster')) return sql<boolean>`true`;
  const orgs = grants.flatMap((grant) => (grant.on === 'org' ? [grant.org] : []));
  const teams = TeamScope.of(grants.flatMap((grant) => (grant.on === 'org' ? grant.teams : grant.on === 'team' ? [grant.team] : [])));
  return sql<boolean>`(b.org_id = any(${orgs}::text[]) or ${teams.where(sql`b.team_id`)})`;
}

/** The target of a row that has it as columns. */
export function targetOf({ org_id, team_id, team_org }: { org_id: string | null; team_id: string | null; team_org: string | null }): Target {
  if (team_id !== null) return { on: 'team', team: team_id, org: team_org ?? '' };
  return org_id === null ? { on: 'cluster' } : { on: 'org', org: org_id };
}
