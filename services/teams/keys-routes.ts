/** REST routes of API keys. None takes an Idempotency-Key where the answer has a secret: it would be stored in clear. */
import Type from 'typebox';
import { audit } from '../audit/append.ts';
import { namePattern } from '../jobs/spec.ts';
import { roles, scopes } from '../platform/authz-roles.ts';
import { inTransaction } from '../platform/db.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { createKey } from './create-key.ts';
import { getKey, listKeys } from './keys.ts';
import { revokeKey } from './revoke-key.ts';
import { rotateKey } from './rotate-key.ts';
import type { TeamDeps } from './routes.ts';
import { KeyView, NewKeyView, toKeyView } from './views.ts';

const closed = { additionalProperties: false } as const;
const KeyParams = Type.Object({ key: Type.String({ description: 'Id, `key_…`' }) });
const anyKey = [/^key_[0-9a-z]{26}$/] as const;
const scopeNames = ['*', ...new Set(scopes.map((scope) => `${scope.slice(0, scope.indexOf(':'))}:*`)), ...scopes];

export const targetFields = {
  team: Type.Optional(Type.String({ pattern: namePattern, description: 'Name of the team' })),
  org: Type.Optional(Type.String({ pattern: namePattern, description: 'Name of the organisation; neither team nor org: the cluster' })),
};

const NewKeyBody = Type.Object({
  name: Type.String({ pattern: namePattern, description: 'For people; need not be unique' }),
  role: Type.Enum([...roles]),
  ...targetFields,
  scopes: Type.Optional(Type.Array(Type.Enum(scopeNames), { minItems: 1, maxItems: scopeNames.length, uniqueItems: true, description: 'Narrow the role; absent: all that it may' })),
  expiresAt: Type.Optional(Type.String({ maxLength: 40, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$', description: 'RFC 3339; absent: never' })),
}, closed);

export function keyRoutes(app: Api, { db, config }: TeamDeps): void {
  for (const schema of [KeyView, NewKeyView]) app.addSchema(schema);

  app.get('/v1/keys', {
    schema: {
      operationId: 'listKeys', summary: 'List API keys', tags: ['keys'], querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(KeyView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'keys:read' },
  }, async ({ query, actor }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const rows = await listKeys(db, actor, pageKey(query.page_token, 'keys', anyKey)?.[0], size + 1);
    return toPage(rows, size, toKeyView, (last) => pageToken([last.id], 'keys'));
  });

  app.get('/v1/keys/:key', {
    schema: { operationId: 'getKey', summary: 'Show an API key', tags: ['keys'], params: KeyParams, response: { 200: refTo(KeyView), ...problems(404) } },
    config: { allow: 'keys:read' },
  }, async ({ params, actor }) => toKeyView(await getKey(db, actor, 'keys:read', params.key)));

  app.post('/v1/keys', {
    schema: {
      operationId: 'createKey', summary: 'Create an API key', tags: ['keys'], body: NewKeyBody,
      description: 'A service account with a role on a team, an organisation or the cluster. Nobody can hand on more than he may himself.',
      response: { 201: refTo(NewKeyView), ...problems(404) },
    },
    config: { allow: 'keys:write' },
  }, async (request, reply) => {
    const { body, actor } = request;
    const made = await inTransaction(db, async (tx) => {
      const created = await createKey(tx, actor, { ...body, scopes: body.scopes ?? ['*'], expiresAt: body.expiresAt === undefined ? undefined : new Date(body.expiresAt) });
      await audit(tx, request, { action: 'key.create', target: `key/${created.row.id}`, after: toKeyView(created.row) });
      return created;
    });
    reply.code(201);
    return { ...toKeyView(made.row), key: made.key };
  });

  app.post('/v1/keys/:key/rotate', {
    schema: {
      operationId: 'rotateKey', summary: 'Give an API key another secret', tags: ['keys'],
      description: 'The secret of now stays valid for the overlap; one left from an earlier rotation ends.',
      params: KeyParams, body: Type.Object({ overlapSeconds: Type.Integer({ minimum: 0, maximum: config.keyOverlapSecondsMax }) }, closed),
      response: { 200: refTo(NewKeyView), ...problems(404, 409) },
    },
    config: { allow: 'keys:write' },
  }, async (request) => {
    const { params, body, actor } = request;
    const made = await inTransaction(db, async (tx) => {
      const rotated = await rotateKey(tx, actor, params.key, body.overlapSeconds);
      await audit(tx, request, { action: 'key.rotate', target: `key/${rotated.row.id}`, after: toKeyView(rotated.row) });
      return rotated;
    });
    return { ...toKeyView(made.row), key: made.key };
  });

  app.post('/v1/keys/:key/revoke', {
    schema: {
      operationId: 'revokeKey', summary: 'End an API key', tags: ['keys'], params: KeyParams, headers: IdempotencyHeaders, body: Type.Object({}, closed),
      response: { 200: refTo(KeyView), ...problems(404, 409, 422) },
    },
    preValidation: async (request: { body: unknown }) => { request.body ??= {}; },
    config: { allow: 'keys:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const revoked = toKeyView(await revokeKey(tx, request.actor, request.params.key));
    await audit(tx, request, { action: 'key.revoke', target: `key/${revoked.id}`, after: revoked });
    return revoked;
  }));
}
