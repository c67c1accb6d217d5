import type { Origin } from '../audit/append.ts';
import type { Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { OperationKind } from './model.ts';
import { insertOperation, type OperationRow } from './store.ts';

export interface StartRequest {
  readonly kind: OperationKind;
  readonly target: string;
  /** of the team whose object it is; null: the cluster's */
  readonly teamId: string | null;
  readonly reason: string | undefined;
  readonly origin: Origin;
}

/** In the transaction that begins the action. A target has one of a kind: who asks again gets the one that runs. */
export async function startOperation(tx: Tx, { kind, target, teamId, reason, origin }: StartRequest): Promise<OperationRow> {
  return insertOperation(tx, { id: newId('op'), kind, target, teamId, reason: reason ?? null, actorId: origin.actor.id, requestId: origin.id });
}
