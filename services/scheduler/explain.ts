/**
 * Why a job waits, from the functions that decide (law 10): the placement is asked again with ever more capacity, and
 * the first thing that helps is what is missing. Precedence: never fits, whatever becomes free → a node is away → now.
 */
import type { TopologyLevel } from '../jobs/model.ts';
import { mostMembers, matchesSelector, modelsOf, place } from './place.ts';
import type { FleetNode, PendingJob, Pins, Reason, ReasonCode, RoundState, Shape } from './model.ts';
import { ifEmpty, slotsOn, type Capacity } from './capacity.ts';

const namesMax = 5;

const because = (code: ReasonCode, detail: string): Reason => ({ code, detail });

/** What keeps a job from being asked at all; undefined: nothing. `startsLeft` are starts that supervision allows yet. */
export function gateOf(job: PendingJob, state: RoundState, startsLeft: number): Reason | undefined {
  if (job.unreadable) {
    return because('no_readable_checkpoint', 'Commits exist and none of them is readable; it would start at step 0, so it never starts.');
  }
  if (startsLeft <= 0) {
    return because('supervision_away',
      `${state.unsupervisedStartsMax} starts were not looked at by supervision yet, as many as are allowed; see that Temporal and the worker run.`);
  }
  const heard = job.exclusive ? job.olderEpochNodes.filter((id) => state.nodes.get(id)?.heard) : [];
  if (heard.length > 0) return because('older_epoch_not_gone', `It is exclusive, and an older epoch is not gone from ${names(heard)}.`);
  return undefined;
}

/** For a job whose back-off runs. */
export const delayReason = (job: PendingJob): Reason =>
  because('waiting_not_before', `Back-off after a failure: not before ${new Date(job.notBeforeMs).toISOString()}.`);

/**
 * For a job that `place` has just refused.
 *
 * @param free  what it was refused with: what is free on schedulable nodes
 */
export function explain(job: PendingJob, state: RoundState, free: readonly Capacity[]): Reason {
  const nodes = [...state.nodes.values()];
  const matching = nodes.filter((node) => matchesSelector(node, job));
  return neverFits(job, nodes, matching) ?? nodesAway(job, state, matching) ?? notNow(job, matching, free);
}

function neverFits(job: PendingJob, nodes: readonly FleetNode[], matching: readonly FleetNode[]): Reason | undefined {
  const { shape } = job;
  if (nodes.length === 0) return because('fleet_empty', 'The fleet has no node yet.');
  if (matching.length === 0) {
    return because('selector_matches_no_node', `None of ${nodes.length} nodes has the labels ${labelsOf(shape)}.`);
  }
  const empty = matching.map(ifEmpty);
  const models = modelsOf(job, empty);
  if (shape.devicesPerMember > 0 && !empty.some((capacity) => models.some((model) => (capacity.free.get(model!)?.length ?? 0) > 0))) {
    return because('no_such_device_model', `None of ${matching.length} matching nodes has ${shape.deviceModels.length > 0 ? `a healthy ${shape.deviceModels.join(' or ')}` : 'a healthy device'}.`);
  }
  if (!empty.some((capacity) => models.some((model) => slotsOn(capacity, shape, model) > 0))) {
    return because('no_node_large_enough', `A member asks for ${askOf(shape)}; the largest matching node has ${largest(models, empty)}.`);
  }
  if (place(withoutPins(job), empty, freshVisits())) return undefined;
  const best = mostMembers(withoutPins(job), empty);
  return because('no_domain_large_enough', `Needs room for ${shape.members} members${within(job)}; the best would hold ${best} if it were empty.`);
}

function nodesAway(job: PendingJob, state: RoundState, matching: readonly FleetNode[]): Reason | undefined {
  const working = matching.filter((node) => node.schedulable);
  if (place(job, working.map(ifEmpty), freshVisits())) return undefined;
  if (job.pins) return pinnedAway(job, job.pins, state, matching);
  const best = mostMembers(job, working.map(ifEmpty));
  const away = matching.filter((node) => !node.schedulable).map((node) => node.id);
  return because('nodes_cordoned', `Needs room for ${job.shape.members} members${within(job)}; nodes that take work would hold ${best}. Cordoned or away: ${names(away)}.`);
}

function pinnedAway(job: PendingJob, pins: Pins, state: RoundState, matching: readonly FleetNode[]): Reason {
  const away = pins.nodes.filter((id) => !state.nodes.get(id)?.schedulable);
  if (away.length > 0) return because('node_holding_checkpoint_away', `Its last checkpoint lies on ${names(pins.nodes)} only; no work now on ${names(away)}.`);
  const best = mostMembers(job, matching.map(ifEmpty));
  return because('node_holding_checkpoint_too_small',
    `Its last checkpoint lies on ${names(pins.nodes)} only, which would hold ${best} of ${job.shape.members} members if empty.`);
}

/** The scarcest of what it asks for, in the domain where most of it would fit. */
function notNow(job: PendingJob, matching: readonly FleetNode[], free: readonly Capacity[]): Reason {
  const { shape } = job;
  const holds = mostMembers(job, free);
  const where = within(job);
  const only = (part: Partial<Shape>): number =>
    mostMembers({ ...job, shape: { ...shape, devicesPerMember: 0, cpuMilli: 0, memoryBytes: 0n, ...part } }, free);
  const scarce = shape.devicesPerMember > 0 && only({ devicesPerMember: shape.devicesPerMember }) < shape.members ? 'devices'
    : shape.cpuMilli > 0 && only({ cpuMilli: shape.cpuMilli }) < shape.members ? 'cpu'
      : shape.memoryBytes > 0n && only({ memoryBytes: shape.memoryBytes }) < shape.members ? 'memory'
        : shape.devicesPerMember > 0 ? 'devices' : shape.cpuMilli > 0 ? 'cpu' : 'memory';
  const tail = `the best${where} holds ${holds} of ${shape.members} members now`;
  const pinned = job.pins ? ` (its checkpoint keeps it on ${names(job.pins.nodes)})` : '';
  if (scarce === 'devices') {
    const best = mostMembers({ ...job, pins: null, shape: { ...shape, devicesPerMember: 1, cpuMilli: 0, memoryBytes: 0n } }, free);
    return because('not_enough_devices_now', `Needs ${shape.members * shape.devicesPerMember} devices${where}, ${best} are free in the best; ${tail}${pinned}. ${matching.length} nodes match.`);
  }
  const [code, need] = scarce === 'cpu'
    ? ['not_enough_cpu_now', `${shape.members * shape.cpuMilli} thousandths of a core`] as const
    : ['not_enough_memory_now', `${BigInt(shape.members) * shape.memoryBytes} bytes of memory`] as const;
  return because(code, `Needs ${need}${where}; ${tail}${pinned}. ${matching.length} nodes match.`);
}

const withoutPins = (job: PendingJob): PendingJob => ({ ...job, pins: null });
const freshVisits = (): { fitChecks: number; nodesVisited: number } => ({ fitChecks: 0, nodesVisited: 0 });

function within(job: PendingJob): string {
  const { topology } = job.shape;
  return topology?.mode === 'required' ? ` in one ${nameOf(topology.level)}` : '';
}

const nameOf = (level: TopologyLevel): string => (level === 'nvlink' ? 'nvlink domain' : level);

function askOf(shape: Shape): string {
  const parts: string[] = [];
  if (shape.devicesPerMember > 0) parts.push(`${shape.devicesPerMember} devices${shape.deviceModels.length > 0 ? ` of ${shape.deviceModels.join(' or ')}` : ' of one model'}`);
  if (shape.cpuMilli > 0) parts.push(`${shape.cpuMilli} thousandths of a core`);
  if (shape.memoryBytes > 0n) parts.push(`${shape.memoryBytes} bytes of memory`);
  return parts.join(', ');
}

function largest(models: readonly (string | undefined)[], capacities: readonly Capacity[]): string {
  const devicesIn = (capacity: Capacity): number => Math.max(...models.map((model) => (model === undefined ? 0 : capacity.free.get(model)?.length ?? 0)));
  const best = capacities.reduce((a, b) => {
    const more = devicesIn(b) - devicesIn(a) || b.cpuMilli - a.cpuMilli || (b.memoryBytes > a.memoryBytes ? 1 : b.memoryBytes < a.memoryBytes ? -1 : 0);
    return more > 0 ? b : a;
  });
  return `${devicesIn(best)} devices, ${best.cpuMilli} thousandths of a core, ${best.memoryBytes} bytes`;
}

const labelsOf = (shape: Shape): string => Object.entries(shape.nodeSelector).map(([key, value]) => `${key}=${value}`).sort().join(', ');

const names = (ids: readonly string[]): string =>
  ids.length <= namesMax ? [...ids].sort().join(', ') : `${[...ids].sort().slice(0, namesMax).join(', ')} and ${ids.length - namesMax} more`;
