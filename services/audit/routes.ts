/** REST routes of the audit log: reading only. */
import Type, { type Static } from 'typebox';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { refTo, type Api } from '../platform/http.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { selectAudit, type AuditRow } from './store.ts';

export interface AuditDeps { readonly db: Db; readonly config: Pick<Config, 'pageSizeMax'> }

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const printable = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

const AuditEntry = Type.Object({
  id: Type.String({ pattern: '^[0-9]+$' }),
  at: Type.String({ format: 'date-time' }),
  actor: Type.Object({ id: Type.String(), name: Type.String() }),
  action: Type.String(),
  target: Type.String({ description: '`job/<id>`, `node/<name>` …' }),
  beforeSha256: textOrNull('SHA-256 of the canonical JSON of the object before'),
  afterSha256: textOrNull('and after'),
  reason: textOrNull('For people'),
  requestId: Type.String(),
  workflowId: textOrNull('Workflow that supervises the object'),
}, { $id: 'AuditEntry' });

const instant = (description: string) => Type.Optional(Type.String({ maxLength: 40, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(Z|[+-][0-9]{2}:[0-9]{2})$', description }));

const AuditQuery = (pageSizeMax: number) => Type.Object({
  actor: Type.Optional(Type.String({ maxLength: 200, pattern: printable, description: 'Id of the actor' })),
  action: Type.Optional(Type.String({ maxLength: 64, pattern: '^[a-z][A-Za-z.-]*$' })),
  target: Type.Optional(Type.String({ maxLength: 200, pattern: printable })),
  request: Type.Optional(Type.String({ maxLength: 128, pattern: printable, description: 'Id of the request' })),
  since: instant('From this instant on'),
  until: instant('Before this instant'),
  ...pageQuery(pageSizeMax),
}, { additionalProperties: false });

export function auditRoutes(app: Api, { db, config }: AuditDeps): void {
  app.addSchema(AuditEntry);

  app.get('/v1/audit', {
    schema: {
      operationId: 'listAudit', summary: 'Read the audit log, newest first', tags: ['audit'],
      description: 'What is written meanwhile comes before the first page, so pages neither repeat nor skip.',
      querystring: AuditQuery(config.pageSizeMax),
      response: { 200: Type.Object({ items: Type.Array(refTo(AuditEntry)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'audit:read' },
  }, async ({ query: { page_size, page_token, ...filter } }) => {
    for (const name of ['since', 'until'] as const) requireInstant(name, filter[name]);
    const size = page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const filters = { audit: filter };
    const before = pageKey(page_token, filters, [/^[0-9]{1,18}$/])?.[0];
    const rows = await selectAudit(db, filter, before === undefined ? undefined : BigInt(before), size + 1);
    return toPage(rows, size, toView, (last) => pageToken([last.id.toString()], filters));
  });
}

function requireInstant(name: string, text: string | undefined): void {
  if (text === undefined || !Number.isNaN(Date.parse(text))) return;
  throw problem('invalid_request', {}, [{ pointer: `/${name}`, detail: `query parameter ${name} must be an instant, as 2027-01-31T12:00:00Z` }]);
}

function toView(row: AuditRow): Static<typeof AuditEntry> {
  return {
    id: row.id.toString(), at: row.at.toISOString(), actor: { id: row.actor_id, name: row.actor_name }, action: row.action, target: row.target,
    beforeSha256: row.before_sha256?.toString('hex') ?? null, afterSha256: row.after_sha256?.toString('hex') ?? null,
    reason: row.reason, requestId: row.request_id, workflowId: row.workflow_id,
  };
}
