/** The audit log's view of changes of nodes. */
import { audit, type Origin } from '../audit/append.ts';
import { nodeKey } from '../events/model.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { readNode } from './node-store.ts';
import type { NodeRow } from './store.ts';

export interface NodeChange {
  readonly action: string;
  readonly node: string;
  readonly reason?: string | undefined;
  /** of `If-Match` */
  readonly ifVersion?: bigint | undefined;
}

/**
 * Runs a change of a node and writes its entry. The node is read, not locked, before it: the change takes its locks in
 * their order, jobs first; a version that changed in between is met at the end.
 *
 * @throws `version_mismatch` 412 · what `work` throws, `node_not_found` too
 */
export async function changeNode<Result>(tx: Tx, origin: Origin, { action, node, reason, ifVersion }: NodeChange, work: () => Promise<Result>): Promise<Result> {
  const before = await readNode(tx, node);
  if (before && ifVersion !== undefined && ifVersion !== before.version) throw problem('version_mismatch', { node, expected: ifVersion, current: before.version });
  const result = await work();
  await audit(tx, origin, { action, target: nodeKey(node), before: steered(before), after: steered(await readNode(tx, node)), reason });
  return result;
}

/** What operators steer; what beats write would make every digest another one. */
const steered = (row: NodeRow | undefined) => row && {
  id: row.id, state: row.state, version: row.version, bootId: row.boot_id,
  cordonedByOperator: row.cordoned_by_operator, cordonedByFence: row.cordoned_by_fence, cordonReason: row.cordon_reason,
};
