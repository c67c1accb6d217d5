/** What nodes offer: now, or if they were empty. A round takes from a copy of its own; the model stays as it is. */
import { wholeDeviceMilli, type FleetNode, type PendingJob, type Placement, type Shape, type Share } from './model.ts';

export interface Capacity {
  readonly node: FleetNode;
  readonly cpuMilli: number;
  readonly memoryBytes: bigint;
  /** indexes of wholly free, healthy devices by model, ascending */
  readonly free: ReadonlyMap<string, readonly number[]>;
  readonly freeDevices: number;
}

function capacityOf(node: FleetNode, cpuMilli: number, memoryBytes: bigint, offers: (index: number, milli: number) => boolean): Capacity {
  const free = new Map<string, number[]>();
  let freeDevices = 0;
  for (const device of node.devices) {
    if (!device.healthy || !offers(device.index, device.freeMilli)) continue;
    freeDevices++;
    const list = free.get(device.model);
    if (list) list.push(device.index);
    else free.set(device.model, [device.index]);
  }
  return { node, cpuMilli, memoryBytes, free, freeDevices };
}

export const freeNow = (node: FleetNode): Capacity =>
  capacityOf(node, node.cpuFreeMilli, node.memoryFreeBytes, (_, milli) => milli === wholeDeviceMilli);

export const ifEmpty = (node: FleetNode): Capacity => capacityOf(node, node.cpuMilli, node.memoryBytes, () => true);

/** What the node offers to the one job whose ticket holds these shares of it. */
function withShares(capacity: Capacity, shares: readonly Share[], freeMilli: ReadonlyMap<number, number>): Capacity {
  const milli = new Map(freeMilli);
  for (const share of shares) for (const held of share.devices) milli.set(held.index, (milli.get(held.index) ?? 0) + held.milli);
  return capacityOf(
    capacity.node,
    shares.reduce((sum, share) => sum + share.cpuMilli, capacity.cpuMilli),
    shares.reduce((sum, share) => sum + share.memoryBytes, capacity.memoryBytes),
    (index) => milli.get(index) === wholeDeviceMilli,
  );
}

/** How many members of this shape fit with one device model; undefined model: cpu and memory alone. */
export function slotsOn(capacity: Capacity, shape: Shape, model: string | undefined): number {
  let slots = Infinity;
  if (model !== undefined) slots = Math.min(slots, Math.floor((capacity.free.get(model)?.length ?? 0) / shape.devicesPerMember));
  if (shape.cpuMilli > 0) slots = Math.min(slots, Math.floor(Math.max(0, capacity.cpuMilli) / shape.cpuMilli));
  if (shape.memoryBytes > 0n) {
    const byMemory = (capacity.memoryBytes > 0n ? capacity.memoryBytes : 0n) / shape.memoryBytes;
    slots = Math.min(slots, Number(byMemory));
  }
  // A member that asks for nothing fits without end: the whole gang is as far as anyone counts.
  return Number.isFinite(slots) ? slots : shape.members;
}

/** What is free on schedulable nodes during one round; what it places is taken from it. */
export class FreeCapacity {
  readonly #free = new Map<string, Capacity>();

  constructor(nodes: Iterable<FleetNode>) {
    for (const node of nodes) if (node.schedulable) this.#free.set(node.id, freeNow(node));
  }

  /** What this job may use: all that is free, and what its own ticket keeps for it. */
  for(job: PendingJob): Iterable<Capacity> {
    if (!job.ticket || job.ticket.shares.length === 0) return this.#free.values();
    const own = Map.groupBy(job.ticket.shares, (share) => share.nodeId);
    return Array.from(this.#free.values(), (capacity) => {
      const shares = own.get(capacity.node.id);
      return shares ? withShares(capacity, shares, this.#freeMilliOf(capacity)) : capacity;
    });
  }

  /** After a placement. What its ticket kept and it didn't use is free for the next. */
  take(placement: Placement): void {
    const { job } = placement;
    const touched = new Map<string, Capacity>();
    if (job.ticket) for (const capacity of this.for(job)) touched.set(capacity.node.id, capacity);
    for (const member of placement.members) {
      const capacity = touched.get(member.nodeId) ?? this.#free.get(member.nodeId);
      if (capacity) touched.set(member.nodeId, without(capacity, job.shape, member.devices));
    }
    for (const [id, capacity] of touched) this.#free.set(id, capacity);
  }

  #freeMilliOf(capacity: Capacity): Map<number, number> {
    const stillFree = new Set([...capacity.free.values()].flat());
    // A device that this round has given away offers nothing, whatever the node row says.
    return new Map(capacity.node.devices.map((device) => [
      device.index,
      stillFree.has(device.index) ? wholeDeviceMilli : device.freeMilli === wholeDeviceMilli ? 0 : device.freeMilli,
    ]));
  }
}

function without(capacity: Capacity, shape: Shape, devices: readonly number[]): Capacity {
  const taken = new Set(devices);
  const free = new Map(Array.from(capacity.free, ([model, indexes]) => [model, indexes.filter((index) => !taken.has(index))]));
  return {
    node: capacity.node,
    cpuMilli: capacity.cpuMilli - shape.cpuMilli,
    memoryBytes: capacity.memoryBytes - shape.memoryBytes,
    free,
    freeDevices: capacity.freeDevices - devices.length,
  };
}
