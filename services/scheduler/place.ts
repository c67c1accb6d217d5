/**
 * Where a gang goes: all of it or nothing, one device model for all members.
 *
 * Order of choice: (1) without nodes to avoid, then with as few members on them as possible; (2) the narrowest topology
 * level allowed; (3) the tightest domain of that level that holds the gang, so that wide holes stay for wide gangs;
 * (4) in it the fewest nodes, the last of them the tightest that holds the rest; (5) among equal nodes the fullest;
 * (6) the lowest device indexes. Every comparison ends at a name, so equal worlds give equal plans (law 12).
 */
import { topologyLevels, type TopologyLevel } from '../jobs/model.ts';
import { domainOf, type FleetNode, type PendingJob, type PlacedMember, type RoundTrace } from './model.ts';
import { slotsOn, type Capacity } from './capacity.ts';

type Visits = Pick<RoundTrace, 'fitChecks' | 'nodesVisited'>;

/** One domain with one device model: how many members it holds. */
interface Candidate {
  readonly domain: string;
  readonly model: string | undefined;
  readonly modelAt: number;
  readonly slots: Slots[];
  total: number;
  /** slots on nodes that needn't be avoided */
  preferred: number;
}

/** Members that go to one node, or could. */
interface Slots {
  readonly capacity: Capacity;
  readonly count: number;
}

/** @returns members in rank order, or undefined where these nodes don't hold the gang */
export function place(job: PendingJob, capacities: Iterable<Capacity>, visits: Visits): PlacedMember[] | undefined {
  visits.fitChecks++;
  const fitting = Array.from(capacities).filter((capacity) => matchesSelector(capacity.node, job));
  visits.nodesVisited += fitting.length;
  const avoided = new Set(job.avoidNodes);
  const preferred = avoided.size === 0 ? fitting : fitting.filter((capacity) => !avoided.has(capacity.node.id));
  const tries = preferred.length === fitting.length ? [fitting] : [preferred, fitting];
  for (const tried of tries) {
    for (const level of levelsOf(job)) {
      const candidate = tightest(candidates(job, tried, level, avoided), job.shape.members);
      if (candidate) return assign(job, candidate, avoided);
    }
  }
  return undefined;
}

/**
 * How many members the best domain holds: for the sentence that explains a "no". The same candidates as `place` uses,
 * so the two can't disagree.
 */
export function mostMembers(job: PendingJob, capacities: Iterable<Capacity>): number {
  const fitting = Array.from(capacities).filter((capacity) => matchesSelector(capacity.node, job));
  const totals = candidates(job, fitting, levelsOf(job).at(-1), new Set()).map((candidate) => candidate.total);
  return totals.reduce((most, total) => Math.max(most, total), 0);
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

/** Models that the gang may take, in order of preference where two candidates are equal; `[undefined]` for none at all. */
export function modelsOf(job: PendingJob, capacities: Iterable<Capacity>): readonly (string | undefined)[] {
  if (job.shape.devicesPerMember === 0) return [undefined];
  if (job.shape.deviceModels.length > 0) return job.shape.deviceModels;
  const known = new Set<string>();
  for (const capacity of capacities) for (const model of capacity.free.keys()) known.add(model);
  return [...known].sort();
}

function candidates(job: PendingJob, capacities: readonly Capacity[], level: TopologyLevel | undefined, avoided: ReadonlySet<string>): Candidate[] {
  const models = modelsOf(job, capacities);
  const found = new Map<string, Candidate>();
  for (const capacity of capacities) {
    const domain = level === undefined ? '' : domainOf(capacity.node, level);
    if (domain === undefined) continue;
    models.forEach((model, modelAt) => {
      const count = slotsOn(capacity, job.shape, model);
      if (count === 0) return;
      const key = `${modelAt}|${domain}`;
      const candidate = found.get(key) ?? { domain, model, modelAt, slots: [], total: 0, preferred: 0 };
      found.set(key, candidate);
      candidate.slots.push({ capacity, count });
      candidate.total += count;
      if (!avoided.has(capacity.node.id)) candidate.preferred += count;
    });
  }
  const all = [...found.values()];
  return job.pins ? all.flatMap((candidate) => pinned(job, candidate) ?? []) : all;
}

/** The candidate cut down to where the checkpoint's parts are, or undefined where a rank can't go back to its own. */
function pinned(job: PendingJob, candidate: Candidate): Candidate | undefined {
  const pins = job.pins!;
  const needed = Map.groupBy(Object.values(pins.ranks), (node) => node);
  const counts = new Map(candidate.slots.map((slot) => [slot.capacity.node.id, slot.count]));
  for (const [node, ranks] of needed) if ((counts.get(node) ?? 0) < ranks.length) return undefined;
  const slots = candidate.slots.filter((slot) => pins.nodes.includes(slot.capacity.node.id));
  const total = slots.reduce((sum, slot) => sum + slot.count, 0);
  return { ...candidate, slots, total, preferred: total };
}

function tightest(candidates: readonly Candidate[], members: number): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (candidate.total < members) continue;
    if (!best || isTighter(candidate, best, members)) best = candidate;
  }
  return best;
}

function isTighter(a: Candidate, b: Candidate, members: number): boolean {
  const onAvoided = Math.max(0, members - a.preferred) - Math.max(0, members - b.preferred);
  if (onAvoided !== 0) return onAvoided < 0;
  if (a.total !== b.total) return a.total < b.total;
  return a.modelAt !== b.modelAt ? a.modelAt < b.modelAt : a.domain < b.domain;
}

function assign(job: PendingJob, candidate: Candidate, avoided: ReadonlySet<string>): PlacedMember[] {
  const left = new Map(candidate.slots.map((slot) => [slot.capacity, slot.count]));
  const taken = new Map<Capacity, number>();
  const take = (capacity: Capacity, count: number): void => {
    taken.set(capacity, (taken.get(capacity) ?? 0) + count);
    left.set(capacity, left.get(capacity)! - count);
  };
  const fixed = Object.values(job.pins?.ranks ?? {});
  for (const { capacity } of candidate.slots) {
    const ranks = fixed.filter((node) => node === capacity.node.id).length;
    if (ranks > 0) take(capacity, ranks);
  }
  const rest = [...left].map(([capacity, count]) => ({ capacity, count })).filter((slot) => slot.count > 0);
  const unavoided = rest.filter((slot) => !avoided.has(slot.capacity.node.id));
  let remaining = job.shape.members - fixed.length;
  for (const group of [unavoided, rest.filter((slot) => avoided.has(slot.capacity.node.id))]) {
    for (const { capacity, count } of fewestNodes(group, remaining)) {
      take(capacity, count);
      remaining -= count;
    }
  }
  return withRanks(job, candidate.model, [...taken].map(([capacity, count]) => ({ capacity, count })));
}

/** The biggest nodes until one node holds the rest; of those that do, the tightest. As many slots as there are, at most `wanted`. */
function fewestNodes(slots: readonly Slots[], wanted: number): Slots[] {
  const tight = [...slots].sort((a, b) => a.count - b.count || fullestFirst(a.capacity, b.capacity));
  const chosen: Slots[] = [];
  let remaining = wanted;
  while (remaining > 0 && tight.length > 0) {
    const last = tight.findIndex((slot) => slot.count >= remaining);
    const at = last >= 0 ? last : tight.findIndex((slot) => slot.count === tight.at(-1)!.count);
    const [next] = tight.splice(at, 1);
    const count = Math.min(next!.count, remaining);
    chosen.push({ capacity: next!.capacity, count });
    remaining -= count;
  }
  return chosen;
}

function fullestFirst(a: Capacity, b: Capacity): number {
  if (a.freeDevices !== b.freeDevices) return a.freeDevices - b.freeDevices;
  if (a.cpuMilli !== b.cpuMilli) return a.cpuMilli - b.cpuMilli;
  if (a.memoryBytes !== b.memoryBytes) return a.memoryBytes < b.memoryBytes ? -1 : 1;
  return a.node.id < b.node.id ? -1 : 1;
}

/** Neighbouring ranks on neighbouring nodes: rings cross as few links as they can. Pinned ranks go to their own node. */
function withRanks(job: PendingJob, model: string | undefined, taken: readonly Slots[]): PlacedMember[] {
  const order = [...taken].sort((a, b) => {
    const [one, other] = [wayTo(a.capacity.node), wayTo(b.capacity.node)];
    return one < other ? -1 : one > other ? 1 : 0;
  });
  const ranksOf = new Map(order.map(({ capacity }) => [capacity.node.id, [] as number[]]));
  const fixed = job.pins?.ranks ?? {};
  for (const [rank, node] of Object.entries(fixed)) ranksOf.get(node)?.push(Number(rank));
  const open = Array.from({ length: job.shape.members }, (_, rank) => rank).filter((rank) => fixed[rank] === undefined);
  for (const { capacity, count } of order) {
    const ranks = ranksOf.get(capacity.node.id)!;
    ranks.push(...open.splice(0, count - ranks.length));
  }
  return order.flatMap(({ capacity }) => membersOn(job, capacity, model, ranksOf.get(capacity.node.id)!)).sort((a, b) => a.rank - b.rank);
}

function membersOn(job: PendingJob, capacity: Capacity, model: string | undefined, ranks: readonly number[]): PlacedMember[] {
  const devices = model === undefined ? [] : capacity.free.get(model)!;
  const each = job.shape.devicesPerMember;
  return [...ranks].sort((a, b) => a - b).map((rank, localRank) => ({
    rank, nodeId: capacity.node.id, localRank, devices: devices.slice(localRank * each, (localRank + 1) * each),
  }));
}

const wayTo = (node: FleetNode): string => [...topologyLevels.slice(0, -1).map((level) => node.topology[level] ?? ''), node.id].join('\u0000');
