/** REST routes of role bindings. */
import Type from 'typebox';
import { audit } from '../audit/append.ts';
import { roles } from '../platform/authz-roles.ts';
import { problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { principalKinds, type Principal } from './bindings-store.ts';
import { bind, listBindings, unbind } from './bindings.ts';
import { targetFields } from './keys-routes.ts';
import type { TeamDeps } from './routes.ts';
import { BindingView, toBindingView } from './views.ts';

const closed = { additionalProperties: false } as const;
const BindingParams = Type.Object({ binding: Type.String({ description: 'Id, `bind_…`' }) });
const anyBinding = [/^bind_[0-9a-z]{26}$/] as const;

const BindBody = Type.Object({
  principal: Type.Object({
    kind: Type.Enum([...principalKinds], { description: 'key: an API key · subject, group: as the identity provider names them' }),
    id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }),
  }, closed),
  role: Type.Enum([...roles]),
  ...targetFields,
}, closed);

export function bindingRoutes(app: Api, { db, config }: TeamDeps): void {
  app.addSchema(BindingView);

  app.get('/v1/bindings', {
    schema: {
      operationId: 'listBindings', summary: 'List role bindings', tags: ['keys'], querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(BindingView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'bindings:read' },
  }, async ({ query, actor }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const rows = await listBindings(db, actor, pageKey(query.page_token, 'bindings', anyBinding)?.[0], size + 1);
    return toPage(rows, size, toBindingView, (last) => pageToken([last.id], 'bindings'));
  });

  app.post('/v1/bindings', {
    schema: {
      operationId: 'bindRole', summary: 'Give a principal a role', tags: ['keys'], headers: IdempotencyHeaders, body: BindBody,
      description: 'On a team, an organisation or the cluster, in place of the role that it has there. Nobody can hand on more than he may himself.',
      response: { 201: refTo(BindingView), ...problems(404, 409, 422) },
    },
    config: { allow: 'bindings:write' },
  }, async (request, reply) => {
    const { principal, ...rest } = request.body;
    return answerOnce(db, request, reply, 201, config.idempotencyHours, async (tx) => {
      const bound = toBindingView(await bind(tx, request.actor, { ...rest, principal: { ...principal, issuer: issuerOf(principal.kind, config.oidcIssuer) } }));
      await audit(tx, request, { action: 'role.bind', target: `binding/${bound.id}`, after: bound });
      return bound;
    });
  });

  app.delete('/v1/bindings/:binding', {
    schema: {
      operationId: 'unbindRole', summary: 'Take a role away', tags: ['keys'], params: BindingParams, headers: IdempotencyHeaders,
      response: { 200: refTo(BindingView), ...problems(404, 409, 422) },
    },
    config: { allow: 'bindings:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const unbound = toBindingView(await unbind(tx, request.actor, request.params.binding));
    await audit(tx, request, { action: 'role.unbind', target: `binding/${unbound.id}`, before: unbound });
    return unbound;
  }));
}

/** Subjects and groups are those of the issuer that is configured: another one's with the same name are others. */
function issuerOf(kind: Principal['kind'], issuer: string): string {
  if (kind === 'key') return '';
  if (issuer === '') throw problem('invalid_request', {}, [{ pointer: '/principal/kind', detail: 'no identity provider is configured (MUSTER_OIDC_ISSUER)' }]);
  return issuer;
}
