/**
 * Where a gang goes: all of it or nothing, one device model for all members.
 *
 * Order of choice: (1) without nodes to avoid, then with as few members on them as possible; (2) the narrowest topology
 * level allowed; (3) the tightest domain of that level that seats the gang, so that wide holes stay for wide gangs;
 * (4) in it the fewest nodes, the last of them the tightest that seats the rest; (5) among equal nodes the fullest;
 * (6) the lowest device indexes. Every comparison ends at a name, so equal worlds give equal plans (law 12).
 */
import { topologyLevels, type TopologyLevel } from '../jobs/model.ts';
import { domainOf, type FleetNode, type PendingJob, type PlacedMember, type RoundTrace } from './model.ts';
import { seatsIn, type Room } from './rooms.ts';

type Visits = Pick<RoundTrace, 'fitChecks' | 'nodesVisited'>;

/** One domain with one device model: what it seats. */
interface Hall {
  readonly domain: string;
  readonly model: string | undefined;
  readonly modelAt: number;
  readonly seats: { readonly room: Room; readonly count: number }[];
  total: number;
  /** seats on nodes that needn't be avoided */
  welcome: number;
}

/** Seats taken in one room. */
interface Seated {
  readonly room: Room;
  readonly count: number;
}

/** @returns members in rank order, or undefined where these rooms don't hold the gang */
export function place(job: PendingJob, rooms: Iterable<Room>, visits: Visits): PlacedMember[] | undefined {
  visits.fitChecks++;
  const fitting = Array.from(rooms).filter((room) => matchesSelector(room.node, job));
  visits.nodesVisited += fitting.length;
  const avoided = new Set(job.avoidNodes);
  const welcome = avoided.size === 0 ? fitting : fitting.filter((room) => !avoided.has(room.node.id));
  const tries = welcome.length === fitting.length ? [fitting] : [welcome, fitting];
  for (const tried of tries) {
    for (const level of levelsOf(job)) {
      const hall = tightest(halls(job, tried, level, avoided), job.shape.members);
      if (hall) return seat(job, hall, avoided);
    }
  }
  return undefined;
}

/**
 * How many members the best domain seats, and where: for the sentence that explains a "no".
 * The same halls as `place` uses, so the two can't disagree.
 */
export function bestHall(job: PendingJob, rooms: Iterable<Room>): { readonly total: number; readonly rooms: readonly Room[] } {
  const fitting = Array.from(rooms).filter((room) => matchesSelector(room.node, job));
  let best: Hall | undefined;
  for (const hall of halls(job, fitting, levelsOf(job).at(-1), new Set())) {
    if (!best || hall.total > best.total || (hall.total === best.total && hall.domain < best.domain)) best = hall;
  }
  return { total: best?.total ?? 0, rooms: best?.seats.map((seat) => seat.room) ?? [] };
}

export function matchesSelector(node: FleetNode, job: PendingJob): boolean {
  return Object.entries(job.shape.nodeSelector).every(([key, value]) => node.labels[key] === value);
}

/** Levels to try, narrowest first; undefined: the fleet as a whole. */
function levelsOf(job: PendingJob): readonly (TopologyLevel | undefined)[] {
  const { topology } = job.shape;
  if (!topology) return [undefined];
  if (topology.mode === 'required') return [topology.level];
  return [...topologyLevels.slice(0, topologyLevels.indexOf(topology.level) + 1).reverse(), undefined];
}

/** Models that the gang may take, in order of preference where two halls are equal; `[undefined]` for none at all. */
export function modelsOf(job: PendingJob, rooms: Iterable<Room>): readonly (string | undefined)[] {
  if (job.shape.devicesPerMember === 0) return [undefined];
  if (job.shape.deviceModels.length > 0) return job.shape.deviceModels;
  const known = new Set<string>();
  for (const room of rooms) for (const model of room.free.keys()) known.add(model);
  return [...known].sort();
}

function halls(job: PendingJob, rooms: readonly Room[], level: TopologyLevel | undefined, avoided: ReadonlySet<string>): Hall[] {
  const models = modelsOf(job, rooms);
  const found = new Map<string, Hall>();
  for (const room of rooms) {
    const domain = level === undefined ? '' : domainOf(room.node, level);
    if (domain === undefined) continue;
    models.forEach((model, modelAt) => {
      const count = seatsIn(room, job.shape, model);
      if (count === 0) return;
      const key = `${modelAt}|${domain}`;
      const hall = found.get(key) ?? { domain, model, modelAt, seats: [], total: 0, welcome: 0 };
      found.set(key, hall);
      hall.seats.push({ room, count });
      hall.total += count;
      if (!avoided.has(room.node.id)) hall.welcome += count;
    });
  }
  const all = [...found.values()];
  return job.pins ? all.flatMap((hall) => pinned(job, hall) ?? []) : all;
}

/** The hall cut down to where the checkpoint's parts are, or undefined where a rank can't go back to its own. */
function pinned(job: PendingJob, hall: Hall): Hall | undefined {
  const pins = job.pins!;
  const needed = Map.groupBy(Object.values(pins.ranks), (node) => node);
  const counts = new Map(hall.seats.map((seat) => [seat.room.node.id, seat.count]));
  for (const [node, ranks] of needed) if ((counts.get(node) ?? 0) < ranks.length) return undefined;
  const seats = hall.seats.filter((seat) => pins.nodes.includes(seat.room.node.id));
  const total = seats.reduce((sum, seat) => sum + seat.count, 0);
  return { ...hall, seats, total, welcome: total };
}

function tightest(candidates: readonly Hall[], members: number): Hall | undefined {
  let best: Hall | undefined;
  for (const hall of candidates) {
    if (hall.total < members) continue;
    if (!best || isTighter(hall, best, members)) best = hall;
  }
  return best;
}

function isTighter(a: Hall, b: Hall, members: number): boolean {
  const unwelcome = Math.max(0, members - a.welcome) - Math.max(0, members - b.welcome);
  if (unwelcome !== 0) return unwelcome < 0;
  if (a.total !== b.total) return a.total < b.total;
  return a.modelAt !== b.modelAt ? a.modelAt < b.modelAt : a.domain < b.domain;
}

function seat(job: PendingJob, hall: Hall, avoided: ReadonlySet<string>): PlacedMember[] {
  const left = new Map(hall.seats.map((seat) => [seat.room, seat.count]));
  const taken = new Map<Room, number>();
  const sit = (room: Room, count: number): void => {
    taken.set(room, (taken.get(room) ?? 0) + count);
    left.set(room, left.get(room)! - count);
  };
  const fixed = Object.values(job.pins?.ranks ?? {});
  for (const { room } of hall.seats) {
    const ranks = fixed.filter((node) => node === room.node.id).length;
    if (ranks > 0) sit(room, ranks);
  }
  const rest = [...left].map(([room, count]) => ({ room, count })).filter((seat) => seat.count > 0);
  const calm = rest.filter((seat) => !avoided.has(seat.room.node.id));
  let remaining = job.shape.members - fixed.length;
  for (const group of [calm, rest.filter((seat) => avoided.has(seat.room.node.id))]) {
    for (const { room, count } of fewestNodes(group, remaining)) {
      sit(room, count);
      remaining -= count;
    }
  }
  return withRanks(job, hall.model, [...taken].map(([room, count]) => ({ room, count })));
}

/** The biggest nodes until one node seats the rest; of those that do, the tightest. As many seats as there are, at most `wanted`. */
function fewestNodes(seats: readonly Seated[], wanted: number): Seated[] {
  const tight = [...seats].sort((a, b) => a.count - b.count || fullestFirst(a.room, b.room));
  const chosen: Seated[] = [];
  let remaining = wanted;
  while (remaining > 0 && tight.length > 0) {
    const last = tight.findIndex((seat) => seat.count >= remaining);
    const at = last >= 0 ? last : tight.findIndex((seat) => seat.count === tight.at(-1)!.count);
    const [next] = tight.splice(at, 1);
    const count = Math.min(next!.count, remaining);
    chosen.push({ room: next!.room, count });
    remaining -= count;
  }
  return chosen;
}

function fullestFirst(a: Room, b: Room): number {
  if (a.freeDevices !== b.freeDevices) return a.freeDevices - b.freeDevices;
  if (a.cpuMilli !== b.cpuMilli) return a.cpuMilli - b.cpuMilli;
  if (a.memoryBytes !== b.memoryBytes) return a.memoryBytes < b.memoryBytes ? -1 : 1;
  return a.node.id < b.node.id ? -1 : 1;
}

/** Neighbouring ranks on neighbouring nodes: rings cross as few links as they can. Pinned ranks go to their own node. */
function withRanks(job: PendingJob, model: string | undefined, seated: readonly Seated[]): PlacedMember[] {
  const order = [...seated].sort((a, b) => {
    const [one, other] = [wayTo(a.room.node), wayTo(b.room.node)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
  const ranksOf = new Map(order.map(({ room }) => [room.node.id, [] as number[]]));
  const fixed = job.pins?.ranks ?? {};
  for (const [rank, node] of Object.entries(fixed)) ranksOf.get(node)?.push(Number(rank));
  const open = Array.from({ length: job.shape.members }, (_, rank) => rank).filter((rank) => fixed[rank] === undefined);
  for (const { room, count } of order) {
    const ranks = ranksOf.get(room.node.id)!;
    ranks.push(...open.splice(0, count - ranks.length));
  }
  return order.flatMap(({ room }) => membersOn(job, room, model, ranksOf.get(room.node.id)!)).sort((a, b) => a.rank - b.rank);
}

function membersOn(job: PendingJob, room: Room, model: string | undefined, ranks: readonly number[]): PlacedMember[] {
  const devices = model === undefined ? [] : room.free.get(model)!;
  const each = job.shape.devicesPerMember;
  return [...ranks].sort((a, b) => a - b).map((rank, localRank) => ({
    rank, nodeId: room.node.id, localRank, devices: devices.slice(localRank * each, (localRank + 1) * each),
  }));
}

const wayTo = (node: FleetNode): string => [...topologyLevels.slice(0, -1).map((level) => node.topology[level] ?? ''), node.id].join('\u0000');
