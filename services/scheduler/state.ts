/**
 * The scheduler's memory: the fleet and the waiting jobs, in buckets. A cache of Postgres: built at take-over, kept by
 * the feed, dropped with the leadership.
 */
import { Heap } from './heap.ts';
import { bucketKey, wholeDeviceMilli, type Bucket, type FleetNode, type PendingJob, type Placement, type RoundState, type Share } from './model.ts';
import { comesFirst } from './order.ts';

interface OpenBucket extends Bucket {
  readonly jobs: PendingJob[];
}

export class FleetState implements RoundState {
  readonly nodes = new Map<string, FleetNode>();
  readonly buckets = new Map<string, OpenBucket>();
  readonly unsupervisedStartsMax: number;
  unsupervisedStarts = 0;
  readonly #pending = new Map<string, PendingJob>();
  /** jobs whose answer depends on particular nodes' allocations: read again when one of those nodes changes */
  readonly #tied = new Map<string, ReadonlySet<string>>();
  readonly #delayed = new Heap<PendingJob>((a, b) => a.notBeforeMs < b.notBeforeMs);

  constructor(unsupervisedStartsMax: number) {
    this.unsupervisedStartsMax = unsupervisedStartsMax;
  }

  get waiting(): number { return this.#pending.size; }

  pending(jobId: string): PendingJob | undefined { return this.#pending.get(jobId); }

  setNode(node: FleetNode): void { this.nodes.set(node.id, node); }

  removeNode(nodeId: string): void { this.nodes.delete(nodeId); }

  /** Jobs with a ticket or an older epoch on one of these nodes. */
  tiedTo(nodeIds: ReadonlySet<string>): string[] {
    return Array.from(this.#tied).flatMap(([id, nodes]) => ([...nodes].some((node) => nodeIds.has(node)) ? [id] : []));
  }

  /** @param nowMs  the database's clock */
  setPending(job: PendingJob, nowMs: number): void {
    this.removePending(job.id);
    this.#pending.set(job.id, job);
    const ties = new Set([...job.olderEpochNodes, ...(job.ticket?.shares ?? []).map((share) => share.nodeId)]);
    if (ties.size > 0) this.#tied.set(job.id, ties);
    if (job.notBeforeMs > nowMs) this.#delayed.push(job);
    else this.#insert(job);
  }

  removePending(jobId: string): void {
    const job = this.#pending.get(jobId);
    if (!job) return;
    this.#pending.delete(jobId);
    this.#tied.delete(jobId);
    const key = bucketKey(job);
    const bucket = this.buckets.get(key);
    if (!bucket) return;
    const at = position(bucket.jobs, job);
    if (bucket.jobs[at]?.id === jobId) bucket.jobs.splice(at, 1);
    if (bucket.jobs.length === 0) this.buckets.delete(key);
  }

  /** Jobs whose back-off is over join their buckets. @returns them */
  wakeDue(nowMs: number): PendingJob[] {
    const woken: PendingJob[] = [];
    for (let next = this.#delayed.peek(); next && next.notBeforeMs <= nowMs; next = this.#delayed.peek()) {
      this.#delayed.pop();
      // An entry of a job that was read again since is stale: only the very object that waits counts.
      if (this.#pending.get(next.id) !== next) continue;
      this.#insert(next);
      woken.push(next);
    }
    return woken;
  }

  /** When the next back-off is over, by the database's clock. */
  nextDueMs(): number | undefined {
    for (let next = this.#delayed.peek(); next; next = this.#delayed.peek()) {
      if (this.#pending.get(next.id) === next) return next.notBeforeMs;
      this.#delayed.pop();
    }
    return undefined;
  }

  /** Versions that a commit of ours gave to nodes whose change is applied already. */
  setNodeVersions(versions: ReadonlyMap<string, bigint>): void {
    for (const [id, version] of versions) {
      const node = this.nodes.get(id);
      if (node) this.nodes.set(id, { ...node, version });
    }
  }

  /** Applies a committed placement: what the feed will say about it is known already. */
  applyPlacement({ job, members }: Placement): void {
    this.removePending(job.id);
    this.unsupervisedStarts++;
    for (const share of job.ticket?.shares ?? []) this.#change(share, 1);
    for (const member of members) {
      const devices = member.devices.map((index) => ({ index, milli: wholeDeviceMilli }));
      this.#change({ nodeId: member.nodeId, cpuMilli: job.shape.cpuMilli, memoryBytes: job.shape.memoryBytes, devices }, -1);
    }
  }

  #change(share: Share, sign: 1 | -1): void {
    const node = this.nodes.get(share.nodeId);
    if (!node) return;
    const milli = new Map(share.devices.map((device) => [device.index, device.milli]));
    this.nodes.set(node.id, {
      ...node,
      cpuFreeMilli: node.cpuFreeMilli + sign * share.cpuMilli,
      memoryFreeBytes: node.memoryFreeBytes + BigInt(sign) * share.memoryBytes,
      devices: node.devices.map((device) => {
        const held = milli.get(device.index);
        return held === undefined ? device : { ...device, freeMilli: device.freeMilli + sign * held };
      }),
    });
  }

  #insert(job: PendingJob): void {
    const key = bucketKey(job);
    const bucket = this.buckets.get(key) ?? { key, priority: job.priority, shapeKey: job.shapeKey, jobs: [] };
    this.buckets.set(key, bucket);
    bucket.jobs.splice(position(bucket.jobs, job), 0, job);
  }
}

/** Where the job stands in an ordered list, or would stand. */
function position(jobs: readonly PendingJob[], job: PendingJob): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comesFirst(jobs[middle]!, job)) low = middle + 1;
    else high = middle;
  }
  return low;
}
