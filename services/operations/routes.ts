/** REST routes of operations: they are started by the routes of what they act on. */
import Type from 'typebox';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { isId } from '../platform/ids.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { operationKinds, operationStates } from './model.ts';
import { selectOperation, selectOperations, settleOperations } from './store.ts';
import { OperationView, toOperationView } from './view.ts';
import { PreferHeaders, type Waiters } from './wait.ts';

export interface OperationDeps { readonly db: Db; readonly config: Pick<Config, 'pageSizeMax'>; readonly waiters: Waiters }

export function operationRoutes(app: Api, { db, config, waiters }: OperationDeps): void {
  app.addSchema(OperationView);
  app.addHook('preClose', async () => waiters.close());

  app.get('/v1/operations', {
    schema: {
      operationId: 'listOperations', summary: 'List operations, newest first', tags: ['operations'],
      querystring: Type.Object({
        state: Type.Optional(Type.Enum([...operationStates])), kind: Type.Optional(Type.Enum([...operationKinds])),
        target: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })), ...pageQuery(config.pageSizeMax),
      }, { additionalProperties: false }),
      response: { 200: Type.Object({ items: Type.Array(refTo(OperationView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'operations:read' },
  }, async ({ query: { page_size, page_token, ...filter }, access }) => {
    const size = page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const filters = { operations: filter };
    const rows = await selectOperations(db, access.see, filter, pageKey(page_token, filters, [/^op_[0-9a-z]{26}$/])?.[0], size + 1);
    return toPage(rows, size, toOperationView, (last) => pageToken([last.id], filters));
  });

  app.get('/v1/operations/:operation', {
    schema: {
      operationId: 'getOperation', summary: 'Show an operation, or wait for its end', tags: ['operations'],
      params: Type.Object({ operation: Type.String({ description: 'Id, `op_…`' }) }), headers: PreferHeaders,
      response: { 200: refTo(OperationView), ...problems(404) },
    },
    config: { allow: 'operations:read' },
  }, async (request, reply) => {
    const { operation } = request.params;
    if (isId('op', operation)) await settleOperations(db, operation);
    const found = isId('op', operation) ? await selectOperation(db, request.access.see, operation) : undefined;
    if (!found) throw problem('operation_not_found', { operation: JSON.stringify(operation.slice(0, 64)).slice(1, -1) });
    return toOperationView(found.state === 'RUNNING' ? await waiters.until(request, reply, found) : found);
  });
}
