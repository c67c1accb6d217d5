/** Small fleets and jobs for tests of the pure core. */
import { bucketKey, shapeKeyOf, type Bucket, type FleetNode, type PendingJob, type RoundState, type Shape } from '#services/scheduler/model.ts';
import { comesFirst } from '#services/scheduler/order.ts';

export interface NodeInput extends Partial<Omit<FleetNode, 'devices'>> {
  readonly id: string;
  readonly count?: number;
  readonly model?: string;
  /** indexes of devices that are taken */
  readonly taken?: readonly number[];
  readonly devices?: FleetNode['devices'];
}

export function node({ count = 8, model = 'A100', taken = [], ...input }: NodeInput): FleetNode {
  return {
    version: 1n, schedulable: true, heard: true, topology: {}, labels: {}, cpuMilli: 64_000, cpuFreeMilli: 64_000, memoryBytes: 1_000n, memoryFreeBytes: 1_000n,
    devices: Array.from({ length: count }, (_, index) => ({ index, model, healthy: true, freeMilli: taken.includes(index) ? 0 : 1_000 })),
    ...input,
  };
}

let made = 0;

export function job(shape: Partial<Shape> = {}, rest: Partial<Omit<PendingJob, 'shape'>> = {}): PendingJob {
  made++;
  const open = {
    id: `job_${String(made).padStart(6, '0')}`, teamId: 'team', version: 1n, epoch: 0n, priority: 500, submittedAtUs: made, notBeforeMs: 0,
    exclusive: false, avoidNodes: [], checkpointId: null, unreadable: false, pins: null, ticket: null, olderEpochNodes: [],
    shape: { members: 1, devicesPerMember: 1, deviceModels: [], cpuMilli: 0, memoryBytes: 0n, nodeSelector: {}, topology: null, ...shape },
    ...rest,
  };
  return { ...open, shapeKey: shapeKeyOf(open) };
}

export function stateOf(nodes: readonly FleetNode[], jobs: readonly PendingJob[], limits: Partial<Pick<RoundState, 'unsupervisedStarts' | 'unsupervisedStartsMax'>> = {}): RoundState {
  const buckets = new Map<string, Bucket>();
  for (const [key, members] of Map.groupBy(jobs, bucketKey)) {
    const [first] = members;
    buckets.set(key, { key, priority: first!.priority, shapeKey: first!.shapeKey, jobs: [...members].sort((a, b) => (comesFirst(a, b) ? -1 : 1)) });
  }
  return { nodes: new Map(nodes.map((n) => [n.id, n])), buckets, unsupervisedStarts: 0, unsupervisedStartsMax: 1_000, ...limits };
}
