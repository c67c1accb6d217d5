/**
 * Which placements of a batch still hold, judged on locked rows. Pure. Each gang is kept whole or dropped whole, and
 * counts on what the ones before it took.
 */
import { wholeDeviceMilli, type Placement, type Share, type Verdict } from './model.ts';

export interface LockedJob {
  readonly state: string;
  readonly version: bigint;
  /** `not_before` has passed, by the database's clock */
  readonly due: boolean;
  /** undefined: the job has no checkpoint; null: it has some, and none is readable */
  readonly checkpointId: string | null | undefined;
  /** what its open ticket keeps; undefined where it has none */
  readonly ticket: { readonly id: string; readonly shares: readonly Share[] } | undefined;
  /** exclusive, and an older epoch of it sits on a heard node (P20) */
  readonly olderEpochHeard: boolean;
}

export interface LockedNode {
  readonly schedulable: boolean;
  readonly cpuFreeMilli: number;
  readonly memoryFreeBytes: bigint;
  readonly devices: ReadonlyMap<number, { readonly healthy: boolean; readonly freeMilli: number }>;
}

export interface LockedRows {
  readonly jobs: ReadonlyMap<string, LockedJob>;
  readonly nodes: ReadonlyMap<string, LockedNode>;
}

/** Change of what a node has in use; all numbers may be negative, where a ticket gives back more than the gang takes. */
export interface NodeChange {
  cpuMilli: number;
  memoryBytes: bigint;
  readonly deviceMilli: Map<number, number>;
  /** the node gets new members, so its agent has something to do */
  hasMembers: boolean;
}

export interface Admission {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly kept: readonly Placement[];
  readonly changes: ReadonlyMap<string, NodeChange>;
  readonly endedTickets: readonly string[];
}

export function admit(items: readonly Placement[], rows: LockedRows): Admission {
  const verdicts = new Map<string, Verdict>();
  const kept: Placement[] = [];
  const changes = new Map<string, NodeChange>();
  const endedTickets: string[] = [];
  for (const item of items) {
    const job = rows.jobs.get(item.job.id);
    const own = changesOf(item, job);
    const verdict = jobVerdict(item, job) ?? nodesVerdict(own, changes, rows);
    verdicts.set(item.job.id, verdict ?? 'placed');
    if (verdict) continue;
    kept.push(item);
    if (job?.ticket) endedTickets.push(job.ticket.id);
    for (const [id, change] of own) changes.set(id, sum(changes.get(id), change));
  }
  return { verdicts, kept, changes, endedTickets };
}

function jobVerdict({ job: planned, members }: Placement, job: LockedJob | undefined): Verdict | undefined {
  // A gang holds all of what it asks for or nothing (law 2), whoever made the plan.
  const isWhole = members.length === planned.shape.members && members.every(({ devices }) => new Set(devices).size === planned.shape.devicesPerMember);
  if (!isWhole) return 'job_changed';
  if (!job || job.state !== 'QUEUED' || job.version !== planned.version || !job.due) return 'job_changed';
  if (job.checkpointId === null || (job.checkpointId ?? null) !== planned.checkpointId) return 'job_changed';
  return job.olderEpochHeard ? 'older_epoch_not_gone' : undefined;
}

function nodesVerdict(own: ReadonlyMap<string, NodeChange>, before: ReadonlyMap<string, NodeChange>, rows: LockedRows): Verdict | undefined {
  for (const [id, change] of own) {
    if (!change.hasMembers) continue;
    const node = rows.nodes.get(id);
    if (!node?.schedulable) return 'node_changed';
    const all = sum(before.get(id), change);
    if (all.cpuMilli > node.cpuFreeMilli || all.memoryBytes > node.memoryFreeBytes) return 'no_room';
    for (const [index, milli] of all.deviceMilli) {
      const device = node.devices.get(index);
      if (!device) return 'node_changed';
      if (milli > device.freeMilli) return 'no_room';
      if (!device.healthy && (change.deviceMilli.get(index) ?? 0) > 0) return 'node_changed';
    }
  }
  return undefined;
}

function changesOf(item: Placement, job: LockedJob | undefined): Map<string, NodeChange> {
  const changes = new Map<string, NodeChange>();
  const at = (nodeId: string): NodeChange => {
    const change = changes.get(nodeId) ?? { cpuMilli: 0, memoryBytes: 0n, deviceMilli: new Map(), hasMembers: false };
    changes.set(nodeId, change);
    return change;
  };
  for (const share of job?.ticket?.shares ?? []) {
    const change = at(share.nodeId);
    change.cpuMilli -= share.cpuMilli;
    change.memoryBytes -= share.memoryBytes;
    for (const { index, milli } of share.devices) change.deviceMilli.set(index, (change.deviceMilli.get(index) ?? 0) - milli);
  }
  for (const member of item.members) {
    const change = at(member.nodeId);
    change.hasMembers = true;
    change.cpuMilli += item.job.shape.cpuMilli;
    change.memoryBytes += item.job.shape.memoryBytes;
    for (const index of member.devices) change.deviceMilli.set(index, (change.deviceMilli.get(index) ?? 0) + wholeDeviceMilli);
  }
  return changes;
}

function sum(a: NodeChange | undefined, b: NodeChange): NodeChange {
  if (!a) return { ...b, deviceMilli: new Map(b.deviceMilli) };
  const deviceMilli = new Map(a.deviceMilli);
  for (const [index, milli] of b.deviceMilli) deviceMilli.set(index, (deviceMilli.get(index) ?? 0) + milli);
  return { cpuMilli: a.cpuMilli + b.cpuMilli, memoryBytes: a.memoryBytes + b.memoryBytes, deviceMilli, hasMembers: a.hasMembers || b.hasMembers };
}
