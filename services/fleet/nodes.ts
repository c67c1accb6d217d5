import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isNodeName } from './model.ts';
import { devicesOf, membersOn, readNode, readNodes, type NodeDevice, type NodeFactsRow, type NodeMember } from './node-store.ts';

export interface NodeFound {
  readonly node: NodeFactsRow;
  readonly devices: readonly NodeDevice[];
  /** that are not gone */
  readonly members: readonly NodeMember[];
}

/** Nodes by name, from after `after`. */
export async function listNodes(db: Db | Tx, after: string | undefined, limit: number): Promise<NodeFound[]> {
  return withParts(db, await readNodes(db, after, limit));
}

/** @throws `node_not_found` 404 */
export async function getNode(db: Db | Tx, name: string): Promise<NodeFound> {
  const node = isNodeName(name) ? await readNode(db, name) : undefined;
  const [found] = node ? await withParts(db, [node]) : [];
  return found ?? unknownNode(name);
}

/** @throws `node_not_found` 404; a foreign name is shown back, but not at any length */
export function unknownNode(name: string): never {
  throw problem('node_not_found', { node: JSON.stringify(name.slice(0, 64)).slice(1, -1) });
}

async function withParts(db: Db | Tx, nodes: readonly NodeFactsRow[]): Promise<NodeFound[]> {
  const names = nodes.map((node) => node.id);
  const [devices, members] = await Promise.all([devicesOf(db, names), membersOn(db, names)]);
  return nodes.map((node) => ({ node, devices: devices.get(node.id) ?? [], members: members.get(node.id) ?? [] }));
}
