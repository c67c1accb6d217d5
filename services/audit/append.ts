/** Adds to the audit log, in the transaction of the change that it tells of (design.md §6). */
import type { Actor } from '../platform/authz.ts';
import type { Tx } from '../platform/db.ts';
import { digestOf } from './digest.ts';
import { insertAudit } from './store.ts';

/** Who asked, by which request; a request of fastify is one. */
export interface Origin {
  readonly id: string;
  readonly actor: Pick<Actor, 'id' | 'name'>;
}

export interface Change {
  /** `<object>.<verb>` */
  readonly action: string;
  /** `job/<id>`, `node/<name>`, as the keys of events */
  readonly target: string;
  /** the object's row; absent: it did not exist, or is not one row */
  readonly before?: unknown;
  readonly after?: unknown;
  /** one sentence for people */
  readonly reason?: string | undefined;
  readonly workflowId?: string | undefined;
}

export async function audit(tx: Tx, origin: Origin, change: Change): Promise<void> {
  await auditAll(tx, [{ ...change, origin }]);
}

/** The same for changes of several requests that one transaction commits. */
export async function auditAll(tx: Tx, changes: readonly (Change & { readonly origin: Origin })[]): Promise<void> {
  if (changes.length === 0) return;
  await insertAudit(tx, changes.map(({ origin, ...change }) => ({
    actor: origin.actor.id, actorName: origin.actor.name, request: origin.id,
    action: change.action, target: change.target, before: digestOf(change.before), after: digestOf(change.after),
    reason: change.reason ?? null, workflow: change.workflowId ?? null,
  })));
}
