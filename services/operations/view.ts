import Type, { type Static } from 'typebox';
import { operationKinds, operationStates } from './model.ts';
import type { OperationRow } from './store.ts';

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const OperationView = Type.Object({
  id: Type.String(),
  kind: Type.Enum([...operationKinds]),
  target: Type.String({ description: '`job/<id>`, `node/<name>`' }),
  state: Type.Enum([...operationStates]),
  detail: textOrNull('Why it failed'),
  reason: textOrNull('For people'),
  actor: Type.String(),
  requestId: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  endedAt: textOrNull('RFC 3339; null while it runs'),
  links: Type.Object({ self: Type.String(), target: Type.String() }),
}, { $id: 'Operation' });
export type OperationView = Static<typeof OperationView>;

export function toOperationView(row: OperationRow): OperationView {
  return {
    id: row.id, kind: row.kind, target: row.target, state: row.state, detail: row.detail, reason: row.reason, actor: row.actor_id, requestId: row.request_id,
    createdAt: row.created_at.toISOString(), endedAt: row.ended_at?.toISOString() ?? null,
    links: { self: `/v1/operations/${row.id}`, target: `/v1/${row.target.replace('/', 's/')}` },
  };
}
