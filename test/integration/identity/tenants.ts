/** Two organisations with teams, jobs and keys of each role: what tests of roles and isolation start from. */
import type { InjectOptions } from 'fastify';
import type { Role, Target } from '#services/platform/authz-roles.ts';
import { inTransaction } from '#services/platform/db.ts';
import type { Environment } from '#services/platform/config.ts';
import { issueKey } from '#services/teams/api-keys.ts';
import { openApiWorld, type Answer, type ApiWorld } from '#test/setup/api.ts';

export interface Team { readonly id: string; readonly name: string; readonly org: string; readonly orgName: string }

export interface Tenants extends ApiWorld {
  /** `a1` and `a2` belong to organisation `a`, `b1` to `b` */
  readonly teams: Readonly<Record<'a1' | 'a2' | 'b1', Team>>;
  /** a key of a role on a target */
  keyOf(role: Role, target: Target, more?: { scopes?: readonly string[]; expiresAt?: Date }): Promise<string>;
  submit(team: Team): Promise<string>;
  as(key: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown): Promise<Answer>;
}

export const onTeam = ({ id, org }: Team): Target => ({ on: 'team', team: id, org });
export const onOrg = ({ org }: Team): Target => ({ on: 'org', org });
export const onCluster: Target = { on: 'cluster' };
export const secretKey = Buffer.alloc(32, 7).toString('base64url');

export async function openTenants(settings: Environment = {}): Promise<Tenants> {
  const api = await openApiWorld({ MUSTER_SECRET_KEY: secretKey, ...settings });
  const teams: Record<string, Team> = {};
  for (const orgName of ['a', 'b']) {
    const org = (await api.post('/v1/orgs', { name: orgName })).body.id as string;
    for (const name of orgName === 'a' ? ['a1', 'a2'] : ['b1']) {
      teams[name] = { id: (await api.post('/v1/teams', { name, org: orgName })).body.id as string, name, org, orgName };
    }
  }
  return {
    ...api,
    teams: teams as Tenants['teams'],
    keyOf: (role, target, more) => inTransaction(api.db, async (tx) => (await issueKey(tx, { name: `${role}-key`, role, target, scopes: more?.scopes ?? ['*'], expiresAt: more?.expiresAt })).key),
    submit: async (team) => (await api.post('/v1/jobs', { name: 'x', argv: ['true'], team: team.name })).body.id as string,
    as: (key, method, url, body) => api.raw({
      method, url, headers: { authorization: `Bearer ${key}` }, ...(body === undefined ? {} : { payload: body as InjectOptions['payload'] }),
    } as InjectOptions),
  };
}
