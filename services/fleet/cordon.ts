import { appendEvent } from '../events/append.ts';
import type { Tx } from '../platform/db.ts';
import { nodeChanged } from '../scheduler/allocations.ts';
import { clearCordon, lockNode, setCordon } from './node-store.ts';
import { unknownNode } from './nodes.ts';

/** Keeps new work away; what runs goes on. Repeating it with another reason replaces the reason. @throws `node_not_found` 404 */
export async function cordonNode(tx: Tx, node: string, reason: string): Promise<void> {
  await change(tx, node, () => setCordon(tx, node, reason));
}

/** Lifts an operator's cordon; a cordon that a fence set stays until the proof (P19). @throws `node_not_found` 404 */
export async function uncordonNode(tx: Tx, node: string): Promise<void> {
  await change(tx, node, () => clearCordon(tx, node));
}

async function change(tx: Tx, node: string, write: () => Promise<bigint | undefined>): Promise<void> {
  if (!await lockNode(tx, node)) unknownNode(node);
  const version = await write();
  if (version !== undefined) await appendEvent(tx, nodeChanged(node, version));
}
