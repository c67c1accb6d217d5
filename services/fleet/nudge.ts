/** Tells agents, after the commit, that there is something new for them. A nudge only makes the next beat sooner. */
import { afterCommit, type Tx } from '../platform/db.ts';

type Nudger = (nodeId: string) => void;
let nudge: Nudger = () => {};

/** Says how a node is nudged: once a process, when it has its NATS connection. Without it agents hear at their next beat. */
export function nudgeBy(nudger: Nudger): void {
  nudge = nudger;
}

export function nudgeNodes(tx: Tx, nodeIds: Iterable<string>): void {
  for (const nodeId of new Set(nodeIds)) afterCommit(tx, `nudge ${nodeId}`, () => nudge(nodeId));
}
