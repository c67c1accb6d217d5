/** Empties a node: no new work, and its jobs go elsewhere after a last save. */
import type { Origin } from '../audit/append.ts';
import { nodeKey } from '../events/model.ts';
import { vacateJob, type VacateConfig } from '../jobs/vacate.ts';
import { startOperation } from '../operations/start.ts';
import type { OperationRow } from '../operations/store.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { cordonNode } from './cordon.ts';
import { drainableJobs, runningDrains } from './node-store.ts';

/**
 * Cordons the node and begins its drain; `driveDrain` then has its jobs vacated. Jobs are locked before nodes
 * (design.md §3.4), so they can't be vacated in this transaction.
 *
 * @throws `node_not_found` 404
 */
export async function drainNode(tx: Tx, node: string, reason: string, origin: Origin): Promise<OperationRow> {
  await cordonNode(tx, node, reason);
  return startOperation(tx, { kind: 'node.drain', target: nodeKey(node), teamId: null, reason, origin });
}

/**
 * Has each job with a member on the node vacated, a transaction each; repeating it changes nothing. A job that moves at
 * that moment is met by the next sweep.
 *
 * @returns how many were vacated by this call
 */
export async function driveDrain(db: Db, node: string, config: VacateConfig): Promise<number> {
  let vacated = 0;
  for (const decided of await drainableJobs(db, node)) {
    const outcome = await inTransaction(db, (tx) => vacateJob(tx, { ...decided, event: 'drained', reason: 'drain', detail: `Node ${node} is drained.` }, config));
    if (outcome.kind === 'applied') vacated++;
  }
  return vacated;
}

/** Drains that a crash left half begun go on. @returns jobs vacated: none in a healthy system */
export async function sweepDrains(db: Db, config: VacateConfig): Promise<number> {
  let vacated = 0;
  for (const node of await runningDrains(db)) vacated += await driveDrain(db, node, config);
  return vacated;
}
