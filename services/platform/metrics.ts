/**
 * Every metric of Muster, declared once: name, help, labels, and the roles whose `/metrics` shows it. Units stand last in
 * names, counters end in `_total`, labels have few values, and no id is ever a label: an id a series would outgrow any
 * store. docs/metrics.md is written from here.
 *
 * Metrics belong to the process, not to a role, so that several roles in one process (`all`) add up.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { roleNames, type MetricRole } from './metrics-roles.ts';

const registries: Readonly<Record<MetricRole, Registry>> = Object.fromEntries(roleNames.map((name) => [name, new Registry()])) as Record<MetricRole, Registry>;

/** Figures of the whole cluster, shown only while somebody provides them (metrics-scrape.ts). */
export const clusterRegistry = new Registry();

const everywhere: readonly MetricRole[] = roleNames;
/** Roles with a database pool. */
const withPool = roleNames.filter((name) => name !== 'agent');
/** Where jobs are moved: routes, rounds, beats and calls, sweeps, activities. */
const withMoves: readonly MetricRole[] = ['api', 'scheduler', 'ingest', 'reconciler', 'worker'];
const withLeader: readonly MetricRole[] = ['scheduler', 'relay', 'reconciler'];

type Labels<Name extends string> = readonly Name[];

const counter = <Name extends string = never>(roles: readonly MetricRole[], name: string, help: string, labelNames: Labels<Name> = []): Counter<Name> =>
  new Counter({ name, help, labelNames: [...labelNames], registers: roles.map((role) => registries[role]) });
const gauge = <Name extends string = never>(roles: readonly MetricRole[], name: string, help: string, labelNames: Labels<Name> = []): Gauge<Name> =>
  new Gauge({ name, help, labelNames: [...labelNames], registers: roles.map((role) => registries[role]) });
const histogram = <Name extends string = never>(roles: readonly MetricRole[], name: string, help: string, labelNames: Labels<Name>, buckets: readonly number[]): Histogram<Name> =>
  new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: roles.map((role) => registries[role]) });
const cluster = <Name extends string = never>(name: string, help: string, labelNames: Labels<Name> = []): Gauge<Name> =>
  new Gauge({ name, help, labelNames: [...labelNames], registers: [clusterRegistry] });

/** From a hit in memory to the bound of a request; the figures of issue and design (25 ms, 50 ms, 1 s) are bounds of buckets. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export const databasePoolConnections = gauge(withPool, 'muster_database_pool_connections', 'Connections of this process to Postgres, by what they do', ['state']);
export const databasePoolWaiting = gauge(withPool, 'muster_database_pool_waiting_requests', 'Requests that wait for a free connection: more than a few for long means that the pool is too small, or that Postgres is slow');

export const leaderHeld = gauge(withLeader, 'muster_leader_held', '1 while this process leads, 0 while it stands by', ['name']);
export const jobTransitions = counter(withMoves, 'muster_job_transitions_total', 'Committed moves of jobs, by the event of the transition table and the state reached', ['event', 'to']);

export const requestDuration = histogram(['api'], 'muster_http_request_duration_seconds', 'Time to answer a request, by route template, method and status; streams are not counted here', ['route', 'method', 'status'], requestSeconds);
export const openStreams = gauge(['api'], 'muster_http_open_streams', 'Event and log streams (SSE) that are open');

export const heartbeats = counter(['ingest'], 'muster_heartbeats_total', 'Heartbeats of agents, by what became of them: `taken`, or the code of the refusal', ['result']);
export const heartbeatDuration = histogram(['ingest'], 'muster_heartbeat_duration_seconds', 'Time from the reading of a heartbeat to its answer', [], requestSeconds);
export const agentCalls = counter(['ingest'], 'muster_agent_calls_total', 'Checkpoint calls of agents, by call and verdict', ['call', 'result']);

export const placementRoundDuration = histogram(['scheduler'], 'muster_placement_round_duration_seconds', 'Time of a round that placed or tried to place something: plan and commit', [], requestSeconds);
export const placements = counter(['scheduler'], 'muster_placements_total', 'Planned placements, by verdict of their commit', ['verdict']);

export const relayedEvents = counter(['relay'], 'muster_relay_published_rows_total', 'Outbox rows that the stream has acknowledged to this process');
export const dispatchedEvents = counter(['relay'], 'muster_dispatched_events_total', 'Deliveries to the dispatcher, by verdict', ['verdict']);
export const dispatcherLag = gauge(['relay'], 'muster_dispatcher_lag_messages', 'Messages of the event stream that the dispatcher has not handled yet; absent while NATS does not tell', ['consumer']);

export const sweepFindings = counter(['reconciler'], 'muster_sweep_findings_total', 'What sweeps found; a healthy system adds nothing, but for the sweeps whose work is to expire', ['sweep']);
export const sweepRuns = counter(['reconciler'], 'muster_sweep_runs_total', 'Runs of sweeps, by result', ['sweep', 'result']);
export const figuresAvailable = gauge(['reconciler'], 'muster_cluster_figures_available', '1 where this process leads the reconciler and could read the figures of the cluster below, else 0');

export const workerPolling = gauge(['worker'], 'muster_worker_polling', '1 while the worker asks Temporal for tasks of this kind, 0 while it does not', ['kind']);
export const activityDuration = histogram(['worker'], 'muster_activity_duration_seconds', 'Time of an activity, by type and result', ['activity', 'result'], requestSeconds);

export const agentMembers = gauge(['agent'], 'muster_agent_members', 'Members that run on the node, or are about to');
export const agentBeats = counter(['agent'], 'muster_agent_beats_total', 'Heartbeats that this agent sent, by what came of them', ['result']);
export const agentLogBytes = counter(['agent'], 'muster_agent_log_bytes_total', 'Output of members that the log store has taken, in bytes');

export const queueJobs = cluster('muster_queue_jobs', 'Waiting jobs, by class', ['class']);
export const queueOldestAge = cluster('muster_queue_oldest_age_seconds', 'Age of the oldest waiting job, by class; 0 where none waits', ['class']);
export const activeJobs = cluster('muster_active_jobs', 'Jobs that hold devices or are on their way out, by state', ['state']);
export const outboxUnnumbered = cluster('muster_outbox_unnumbered_rows', 'Outbox rows that no reader has numbered yet; counted to a bound of 100,000');
export const outboxUnrelayed = cluster('muster_outbox_unrelayed_rows', 'Numbered outbox rows that the stream has not acknowledged');
export const outboxLag = cluster('muster_outbox_lag_seconds', 'Age of the oldest outbox row that is not relayed; 0 where all are');
export const deadLetters = cluster('muster_dead_letters', 'Events that a consumer could not handle, by state; DEAD ones wait for an operator', ['state']);
export const nodes = cluster('muster_nodes', 'Nodes, by state and whether they take new work', ['state', 'schedulable']);
export const devices = cluster('muster_devices', 'Devices, by model and health', ['model', 'health']);
export const devicesAllocated = cluster('muster_devices_allocated', 'Devices that are allocated, by model; parts of a device count as parts', ['model']);
export const fencedAllocations = cluster('muster_fenced_members', 'Members of fenced epochs whose devices stay blocked until their processes are proven gone');

/** What Node itself tells: CPU, memory, event-loop delay, garbage collection. Started with the server, not at import. */
let standardStarted = false;
export function startStandardMetrics(): void {
  if (standardStarted) return;
  standardStarted = true;
  const standard = new Registry();
  collectDefaultMetrics({ register: standard });
  for (const metric of standard.getMetricsAsArray()) {
    const instance = standard.getSingleMetric(metric.name);
    if (instance) for (const name of everywhere) registries[name].registerMetric(instance);
  }
}

/** One registry of what the roles of this process show; `all` shows everything but the agent's. */
export function registryOf(role: MetricRole | 'all'): Registry {
  return role === 'all' ? Registry.merge(withPool.map((name) => registries[name])) : registries[role];
}

export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly roles: readonly MetricRole[];
  /** read from the database by the leading reconciler */
  readonly ofCluster: boolean;
}

/** Every metric above, by name; for docs/metrics.md and for checks of dashboards. What Node tells is left out. */
export async function describeMetrics(): Promise<DescribedMetric[]> {
  const own = await Promise.all(roleNames.map(async (role) => (await describeRegistry(registries[role])).map((metric) => ({ ...metric, role }))));
  const byName = Map.groupBy(own.flat(), ({ name }) => name);
  const ofRoles = [...byName.values()].flatMap((found) => {
    const { role: _role, ...metric } = found[0]!;
    return metric.name.startsWith('muster_') ? [{ ...metric, roles: found.map(({ role }) => role), ofCluster: false }] : [];
  });
  const ofCluster = (await describeRegistry(clusterRegistry)).map((metric) => ({ ...metric, roles: ['reconciler' as const], ofCluster: true }));
  return [...ofRoles, ...ofCluster].sort((a, b) => a.name.localeCompare(b.name));
}

async function describeRegistry(registry: Registry): Promise<Omit<DescribedMetric, 'roles' | 'ofCluster'>[]> {
  const found = await registry.getMetricsAsJSON();
  return found.map(({ name, type, help }) => {
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
    return { name, type: String(type), help, labels: labelNames.filter((label) => label !== 'le') };
  });
}
