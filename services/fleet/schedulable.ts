import type { NodeRow } from './store.ts';

export interface Obstacle {
  readonly code: 'never_heard' | 'unknown' | 'dead' | 'cordoned' | 'fenced' | 'stray_members' | 'adoption_due';
  readonly detail: string;
}

type Decides = Pick<NodeRow, 'state' | 'boot_id' | 'cordoned_by_operator' | 'cordoned_by_fence' | 'cordon_reason' | 'stray_members' | 'adoption_due'>;

/** Why a node takes no new work: what the column `node.schedulable` is made of, in words. Empty where it does. */
export function obstaclesOf(node: Decides): Obstacle[] {
  const found: Obstacle[] = [];
  if (node.boot_id === null) found.push({ code: 'never_heard', detail: 'it is enrolled and its agent has not been heard yet' });
  if (node.state === 'UNKNOWN') found.push({ code: 'unknown', detail: 'it is silent beyond its lease; its jobs may be alive' });
  if (node.state === 'DEAD') found.push({ code: 'dead', detail: 'its last boot is proven to be over; it comes back with a new one' });
  if (node.cordoned_by_operator) found.push({ code: 'cordoned', detail: node.cordon_reason ?? 'cordoned by an operator' });
  if (node.cordoned_by_fence) found.push({ code: 'fenced', detail: 'devices are fenced: processes of an ended epoch are not proven gone' });
  if (node.stray_members > 0) found.push({ code: 'stray_members', detail: `${node.stray_members} processes run that should not; they were told to stop` });
  if (node.adoption_due) found.push({ code: 'adoption_due', detail: 'the database was restored and its agent has not been heard since' });
  return found;
}
