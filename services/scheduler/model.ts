/**
 * Scheduler: what a round reads and what it answers (design.md §3.2–3.3). Pure types, keys and reason codes.
 *
 * A waiting job stands in a bucket with all others that ask for the same: one question to the fleet answers for the
 * whole bucket, so a round's work follows shapes and nodes, not the number of waiting jobs (law 11).
 */
import { topologyLevels, type TopologyLevel } from '../jobs/model.ts';

/** A device that is wholly free offers this; a whole device takes it all. */
export const wholeDeviceMilli = 1_000;

export interface FleetDevice {
  readonly index: number;
  readonly model: string;
  readonly freeMilli: number;
  /** health is ok: only such devices take new work */
  readonly healthy: boolean;
}

export interface FleetNode {
  readonly id: string;
  readonly version: bigint;
  /** takes new work: live, not cordoned, no strays (the generated column of the node row) */
  readonly schedulable: boolean;
  /** its agent is heard (LIVE) */
  readonly heard: boolean;
  readonly topology: Readonly<Partial<Record<TopologyLevel, string>>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly cpuMilli: number;
  readonly cpuFreeMilli: number;
  readonly memoryBytes: bigint;
  readonly memoryFreeBytes: bigint;
  /** in index order */
  readonly devices: readonly FleetDevice[];
}

/** What every member of a gang asks for, and how the gang must lie. */
export interface Shape {
  readonly members: number;
  /** whole devices; 0: a job of the host's cpu and memory alone */
  readonly devicesPerMember: number;
  /** any of these, the same for the whole gang; empty: any */
  readonly deviceModels: readonly string[];
  readonly cpuMilli: number;
  readonly memoryBytes: bigint;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly topology: { readonly level: TopologyLevel; readonly mode: 'required' | 'preferred' } | null;
}

/** Part of one node. */
export interface Share {
  readonly nodeId: string;
  readonly cpuMilli: number;
  readonly memoryBytes: bigint;
  readonly devices: readonly { readonly index: number; readonly milli: number }[];
}

/** What an open ticket keeps for one job, and nobody else may use (design.md §3.3). */
export interface HeldTicket {
  readonly id: string;
  readonly shares: readonly Share[];
}

/** Where the checkpoint that a restart gets lies, when other nodes can't reach it (`reach: node`). */
export interface Pins {
  /** every node that holds a part */
  readonly nodes: readonly string[];
  /** ranks that wrote a part must go back to it */
  readonly ranks: Readonly<Record<number, string>>;
}

export interface PendingJob {
  readonly id: string;
  readonly teamId: string;
  readonly version: bigint;
  readonly epoch: bigint;
  readonly priority: number;
  readonly submittedAtUs: number;
  /** not placed before, by the database's clock; 0: at once */
  readonly notBeforeMs: number;
  readonly shape: Shape;
  readonly exclusive: boolean;
  /** used last */
  readonly avoidNodes: readonly string[];
  /** the checkpoint that a restart gets; null: from the start */
  readonly checkpointId: string | null;
  /** commits exist and none is readable: never placed, it may not start at step 0 */
  readonly unreadable: boolean;
  readonly pins: Pins | null;
  readonly ticket: HeldTicket | null;
  /** nodes with a device that an older epoch of it still holds, fenced or not */
  readonly olderEpochNodes: readonly string[];
  /** equal keys: the same answer of the same fleet */
  readonly shapeKey: string;
}

export interface PlacedMember {
  readonly rank: number;
  readonly nodeId: string;
  /** index among this gang's members on its node */
  readonly localRank: number;
  /** ascending device indexes */
  readonly devices: readonly number[];
}

export interface Placement {
  readonly job: PendingJob;
  /** ascending ranks, all of the gang */
  readonly members: readonly PlacedMember[];
}

export type ReasonCode =
  | 'no_readable_checkpoint' | 'supervision_away' | 'older_epoch_not_gone' | 'waiting_not_before'
  | 'fleet_empty' | 'selector_matches_no_node' | 'no_such_device_model' | 'no_node_large_enough'
  | 'node_holding_checkpoint_away' | 'node_holding_checkpoint_too_small' | 'no_domain_large_enough' | 'nodes_cordoned'
  | 'not_enough_devices_now' | 'not_enough_cpu_now' | 'not_enough_memory_now';

/** Why a job waits: a stable code, and a sentence with the numbers that decided. */
export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Waiting jobs of one priority and one shape key, in order. */
export interface Bucket {
  readonly key: string;
  readonly priority: number;
  readonly shapeKey: string;
  /** by (submit time, id); never empty */
  readonly jobs: readonly PendingJob[];
}

export interface RoundState {
  readonly nodes: ReadonlyMap<string, FleetNode>;
  readonly buckets: ReadonlyMap<string, Bucket>;
  /** starts that no workflow has looked at yet, over all active jobs, and how many there may be */
  readonly unsupervisedStarts: number;
  readonly unsupervisedStartsMax: number;
}

/** Counters of what a round did: law 11 is tested on them. */
export interface RoundTrace {
  bucketsVisited: number;
  fitChecks: number;
  nodesVisited: number;
  jobsPlaced: number;
  membersPlaced: number;
}

export interface RoundPlan {
  /** in the order of decision; each counts on those before it */
  readonly placements: readonly Placement[];
  /** by bucket key, for buckets that still have a job waiting and were asked */
  readonly reasons: ReadonlyMap<string, Reason>;
  /** the members' budget ended the round: another one would find more */
  readonly more: boolean;
  readonly trace: RoundTrace;
}

export type Verdict =
  | 'placed'
  /** its row is not what was planned on: state, version, time, checkpoint or ticket */
  | 'job_changed'
  /** a node or device of it takes no work any more */
  | 'node_changed'
  | 'no_room'
  /** an exclusive job whose older epoch is not gone from a heard node (P20) */
  | 'older_epoch_not_gone'
  | 'token_lost'
  | 'frozen';

export const leaderName = 'scheduler';

export const bucketKey = (job: Pick<PendingJob, 'priority' | 'shapeKey'>): string => `${job.priority}|${job.shapeKey}`;

/** Everything of a job that its answer depends on, and nothing else. */
export function shapeKeyOf(job: Omit<PendingJob, 'shapeKey'>): string {
  const { shape } = job;
  const special = {
    avoid: [...job.avoidNodes].sort(),
    pins: job.pins && [[...job.pins.nodes].sort(), sortedEntries(job.pins.ranks)],
    ticket: job.ticket?.id ?? null,
    older: job.exclusive ? [...job.olderEpochNodes].sort() : [],
    unreadable: job.unreadable,
  };
  const asked = [
    shape.members, shape.devicesPerMember, [...shape.deviceModels], shape.cpuMilli, String(shape.memoryBytes),
    sortedEntries(shape.nodeSelector), shape.topology && [shape.topology.level, shape.topology.mode],
  ];
  const plain = special.avoid.length === 0 && !special.pins && !special.ticket && special.older.length === 0 && !special.unreadable;
  return JSON.stringify(plain ? asked : [asked, special]);
}

const sortedEntries = <T>(record: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Name of a node's domain at a level, with all levels above it, so that two racks `r1` of different zones stay two.
 * Undefined where the node doesn't know its place at that level.
 */
export function domainOf(node: FleetNode, level: TopologyLevel): string | undefined {
  if (level === 'node') return node.id;
  if (node.topology[level] === undefined) return undefined;
  const path: (string | null)[] = [];
  for (const upper of topologyLevels) {
    path.push(node.topology[upper] ?? null);
    if (upper === level) break;
  }
  return JSON.stringify(path);
}
