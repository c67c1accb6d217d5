/** REST routes of organisations and teams. Keys, bindings and secrets stand beside. */
import { sql } from 'kysely';
import Type from 'typebox';
import { audit } from '../audit/append.ts';
import { namePattern } from '../jobs/spec.ts';
import { grantsFor, type Actor } from '../platform/authz-roles.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { createOrg, createTeam } from './create.ts';
import { bindingRoutes } from './bindings-routes.ts';
import { keyRoutes } from './keys-routes.ts';
import { defaultOrg, teamKey } from './model.ts';
import { secretRoutes } from './secrets-routes.ts';
import { listOrgs, listTeams } from './store.ts';
import { targetNamed } from './targets.ts';
import { OrgView, TeamView, toListedTeamView, toOrgView, toTeamView } from './views.ts';

export interface TeamDeps { readonly db: Db; readonly config: Pick<Config, 'pageSizeMax' | 'idempotencyHours' | 'keyOverlapSecondsMax' | 'secretsMaxPerTeam' | 'secretKeys' | 'oidcIssuer'> }

const closed = { additionalProperties: false } as const;
const name = Type.String({ pattern: namePattern });
const TeamBody = Type.Object({ name, org: Type.Optional(Type.String({ pattern: namePattern, description: 'Name of its organisation; `default` where absent' })) }, closed);
const OrgBody = Type.Object({ name }, closed);
const anyName = [new RegExp(namePattern)] as const;

export function teamRoutes(app: Api, deps: TeamDeps): void {
  for (const schema of [TeamView, OrgView]) app.addSchema(schema);
  teams(app, deps);
  orgs(app, deps);
  keyRoutes(app, deps);
  bindingRoutes(app, deps);
  secretRoutes(app, deps);
}

function teams(app: Api, { db, config }: TeamDeps): void {
  app.get('/v1/teams', {
    schema: {
      operationId: 'listTeams', summary: 'List teams by name', tags: ['teams'],
      querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(TeamView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'teams:read' },
  }, async ({ query, access }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const rows = await listTeams(db, access.see, pageKey(query.page_token, 'teams', anyName)?.[0], size + 1);
    return toPage(rows, size, toListedTeamView, (last) => pageToken([last.name], 'teams'));
  });

  app.post('/v1/teams', {
    schema: {
      operationId: 'createTeam', summary: 'Create a team', tags: ['teams'],
      headers: IdempotencyHeaders, body: TeamBody,
      response: { 201: refTo(TeamView), ...problems(404, 409, 422) },
    },
    config: { allow: 'teams:write' },
  }, async (request, reply) =>
    answerOnce(db, request, reply, 201, config.idempotencyHours, async (tx) => {
      const org = request.body.org ?? defaultOrg;
      const target = await targetNamed(tx, request.actor, 'teams:write', { org });
      const team = await createTeam(tx, target.on === 'org' ? target.org : '', request.body.name);
      await audit(tx, request, { action: 'team.create', target: teamKey(team.id), after: team });
      return toTeamView(team, org);
    }));
}

function orgs(app: Api, { db, config }: TeamDeps): void {
  app.get('/v1/orgs', {
    schema: {
      operationId: 'listOrgs', summary: 'List organisations by name', tags: ['teams'],
      querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(OrgView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'orgs:read' },
  }, async ({ query, actor }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const rows = await listOrgs(db, orgsWhere(actor), pageKey(query.page_token, 'orgs', anyName)?.[0], size + 1);
    return toPage(rows, size, toOrgView, (last) => pageToken([last.name], 'orgs'));
  });

  app.post('/v1/orgs', {
    schema: {
      operationId: 'createOrg', summary: 'Create an organisation', tags: ['teams'],
      headers: IdempotencyHeaders, body: OrgBody,
      response: { 201: refTo(OrgView), ...problems(409, 422) },
    },
    config: { allow: 'orgs:write' },
  }, async (request, reply) => {
    if (!grantsFor(request.actor, 'orgs:write').some((grant) => grant.on === 'cluster')) throw problem('forbidden', { scope: 'orgs:write' });
    return answerOnce(db, request, reply, 201, config.idempotencyHours, async (tx) => {
      const org = await createOrg(tx, request.body.name);
      await audit(tx, request, { action: 'org.create', target: `org/${org.id}`, after: org });
      return toOrgView(org);
    });
  });
}

/** Organisations with a role of the actor, on them or on one of their teams. */
function orgsWhere(actor: Actor) {
  const grants = grantsFor(actor, 'orgs:read');
  if (grants.some((grant) => grant.on === 'cluster')) return sql<boolean>`true`;
  const orgIds = grants.flatMap((grant) => (grant.on === 'org' ? [grant.org] : []));
  const teamIds = grants.flatMap((grant) => (grant.on === 'team' ? [grant.team] : []));
  return sql<boolean>`(o.id = any(${orgIds}::text[]) or exists (select from team t where t.org_id = o.id and t.id = any(${teamIds}::text[])))`;
}
