/** What nodes offer: now, or if they were empty. A round takes from rooms of its own; the model stays as it is. */
import { wholeDeviceMilli, type FleetNode, type PendingJob, type Placement, type Shape, type Share } from './model.ts';

export interface Room {
  readonly node: FleetNode;
  readonly cpuMilli: number;
  readonly memoryBytes: bigint;
  /** indexes of wholly free, healthy devices by model, ascending */
  readonly free: ReadonlyMap<string, readonly number[]>;
  readonly freeDevices: number;
}

function roomOf(node: FleetNode, cpuMilli: number, memoryBytes: bigint, offers: (index: number, milli: number) => boolean): Room {
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

export const roomNow = (node: FleetNode): Room =>
  roomOf(node, node.cpuFreeMilli, node.memoryFreeBytes, (_, milli) => milli === wholeDeviceMilli);

export const roomIfEmpty = (node: FleetNode): Room => roomOf(node, node.cpuMilli, node.memoryBytes, () => true);

/** The room for the one job whose ticket holds these shares of the node. */
function roomWith(room: Room, shares: readonly Share[], freeMilli: ReadonlyMap<number, number>): Room {
  const milli = new Map(freeMilli);
  for (const share of shares) for (const held of share.devices) milli.set(held.index, (milli.get(held.index) ?? 0) + held.milli);
  return roomOf(
    room.node,
    shares.reduce((sum, share) => sum + share.cpuMilli, room.cpuMilli),
    shares.reduce((sum, share) => sum + share.memoryBytes, room.memoryBytes),
    (index) => milli.get(index) === wholeDeviceMilli,
  );
}

/** How many members of this shape the room seats with one device model; undefined model: cpu and memory alone. */
export function seatsIn(room: Room, shape: Shape, model: string | undefined): number {
  let seats = Infinity;
  if (model !== undefined) seats = Math.min(seats, Math.floor((room.free.get(model)?.length ?? 0) / shape.devicesPerMember));
  if (shape.cpuMilli > 0) seats = Math.min(seats, Math.floor(Math.max(0, room.cpuMilli) / shape.cpuMilli));
  if (shape.memoryBytes > 0n) {
    const byMemory = (room.memoryBytes > 0n ? room.memoryBytes : 0n) / shape.memoryBytes;
    seats = Math.min(seats, Number(byMemory));
  }
  // A member that asks for nothing fits without end: the whole gang is as far as anyone counts.
  return Number.isFinite(seats) ? seats : shape.members;
}

/** The free rooms of one round; what it places is taken from them. */
export class Rooms {
  readonly #rooms = new Map<string, Room>();

  constructor(nodes: Iterable<FleetNode>) {
    for (const node of nodes) if (node.schedulable) this.#rooms.set(node.id, roomNow(node));
  }

  /** What this job may use: free rooms, and what its own ticket keeps for it. */
  for(job: PendingJob): Iterable<Room> {
    if (!job.ticket || job.ticket.shares.length === 0) return this.#rooms.values();
    const own = Map.groupBy(job.ticket.shares, (share) => share.nodeId);
    return Array.from(this.#rooms.values(), (room) => {
      const shares = own.get(room.node.id);
      return shares ? roomWith(room, shares, this.#freeMilliOf(room)) : room;
    });
  }

  /** After a placement. What its ticket kept and it didn't use is free for the next. */
  take(placement: Placement): void {
    const { job } = placement;
    const touched = new Map<string, Room>();
    if (job.ticket) for (const room of this.for(job)) touched.set(room.node.id, room);
    for (const member of placement.members) {
      const room = touched.get(member.nodeId) ?? this.#rooms.get(member.nodeId);
      if (room) touched.set(member.nodeId, without(room, job.shape, member.devices));
    }
    for (const [id, room] of touched) this.#rooms.set(id, room);
  }

  #freeMilliOf(room: Room): Map<number, number> {
    const stillFree = new Set([...room.free.values()].flat());
    // A device that this round has given away offers nothing, whatever the node row says.
    return new Map(room.node.devices.map((device) => [
      device.index,
      stillFree.has(device.index) ? wholeDeviceMilli : device.freeMilli === wholeDeviceMilli ? 0 : device.freeMilli,
    ]));
  }
}

function without(room: Room, shape: Shape, devices: readonly number[]): Room {
  const taken = new Set(devices);
  const free = new Map(Array.from(room.free, ([model, indexes]) => [model, indexes.filter((index) => !taken.has(index))]));
  return {
    node: room.node,
    cpuMilli: room.cpuMilli - shape.cpuMilli,
    memoryBytes: room.memoryBytes - shape.memoryBytes,
    free,
    freeDevices: room.freeDevices - devices.length,
  };
}
