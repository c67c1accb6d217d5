import Type from 'typebox';
import { namePattern } from '../jobs/spec.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { createTeam } from './create.ts';
import { listTeams, type TeamRow } from './store.ts';

export interface TeamDeps { readonly db: Db; readonly config: Pick<Config, 'pageSizeMax' | 'idempotencyHours'> }

const TeamView = Type.Object({ id: Type.String(), name: Type.String(), createdAt: Type.String({ format: 'date-time' }) }, { $id: 'Team' });
const CreateBody = Type.Object({ name: Type.String({ pattern: namePattern }) }, { additionalProperties: false });

const toView = (team: TeamRow) => ({ id: team.id, name: team.name, createdAt: team.created_at.toISOString() });
const anyName = [new RegExp(namePattern)] as const;

export function teamRoutes(app: Api, { db, config }: TeamDeps): void {
  app.addSchema(TeamView);

  app.get('/v1/teams', {
    schema: {
      operationId: 'listTeams', summary: 'List teams by name', tags: ['teams'],
      querystring: Type.Object(pageQuery(config.pageSizeMax), { additionalProperties: false }),
      response: { 200: Type.Object({ items: Type.Array(refTo(TeamView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'teams:read' },
  }, async ({ query }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const rows = await listTeams(db, pageKey(query.page_token, 'teams', anyName)?.[0], size + 1);
    return toPage(rows, size, toView, (last) => pageToken([last.name], 'teams'));
  });

  app.post('/v1/teams', {
    schema: {
      operationId: 'createTeam', summary: 'Create a team', tags: ['teams'],
      headers: IdempotencyHeaders, body: CreateBody,
      response: { 201: refTo(TeamView), ...problems(409, 422) },
    },
    config: { allow: 'teams:write' },
  }, async (request, reply) =>
    answerOnce(db, request, reply, 201, config.idempotencyHours, async (tx) => toView(await createTeam(tx, request.body.name))));
}
