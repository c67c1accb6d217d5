/** The dashboards of Grafana, as code: `node infra/dashboards/write.ts` writes the JSON files, a test compares. */
import { panel, dashboard, type Dashboard } from './grafana.ts';

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[$__rate_interval]))`;
const quantile = (q: number, metric: string, by = ''): string => `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket[$__rate_interval])))`;

/** Is the fleet used, does the queue move, is anything stuck? */
const cluster = dashboard('muster-cluster', 'Muster: cluster', [
  panel('Devices by model', 'short', { 'in all: {{model}}': 'sum by (model) (muster_devices)', 'allocated: {{model}}': 'muster_devices_allocated', 'not healthy: {{model}}': 'sum by (model) (muster_devices{health!="ok"})' }),
  panel('Nodes', 'short', { '{{state}}, takes work: {{schedulable}}': 'muster_nodes' }),
  panel('Waiting jobs by class', 'short', { '{{class}}': 'muster_queue_jobs' }),
  panel('Age of the oldest waiting job', 's', { '{{class}}': 'muster_queue_oldest_age_seconds' }),
  panel('Active jobs by state', 'short', { '{{state}}': 'muster_active_jobs' }),
  panel('Moves of jobs', 'ops', { '{{event}} → {{to}}': rate('muster_job_transitions_total', 'event, to') }),
  panel('Fenced members: devices that wait for proof', 'short', { members: 'muster_fenced_members' }),
  panel('Placements by verdict', 'ops', { '{{verdict}}': rate('muster_placements_total', 'verdict') }),
  panel('Placement round', 's', { p50: quantile(0.5, 'muster_placement_round_duration_seconds'), p99: quantile(0.99, 'muster_placement_round_duration_seconds') }),
  panel('Events: not relayed, not numbered, not dispatched', 'short', { 'not relayed': 'muster_outbox_unrelayed_rows', 'not numbered': 'muster_outbox_unnumbered_rows', 'not dispatched': 'max(muster_dispatcher_lag_messages)' }),
  panel('Lag of the outbox', 's', { lag: 'muster_outbox_lag_seconds' }),
  panel('Dead letters', 'short', { '{{state}}': 'muster_dead_letters' }),
  panel('Findings of sweeps', 'ops', { '{{sweep}}': rate('muster_sweep_findings_total', 'sweep') }),
  panel('Who leads', 'short', { '{{name}} on {{instance}}': 'muster_leader_held' }),
]);

/** Does each process do its part? */
const processes = dashboard('muster-processes', 'Muster: processes', [
  panel('Requests', 'reqps', { '{{route}} {{status}}': rate('muster_http_request_duration_seconds_count', 'route, status') }),
  panel('Time of requests, p99', 's', { '{{route}}': quantile(0.99, 'muster_http_request_duration_seconds', 'route') }),
  panel('Open streams', 'short', { '{{instance}}': 'muster_http_open_streams' }),
  panel('Heartbeats by result', 'ops', { '{{result}}': rate('muster_heartbeats_total', 'result') }),
  panel('Time of heartbeats', 's', { p50: quantile(0.5, 'muster_heartbeat_duration_seconds'), p99: quantile(0.99, 'muster_heartbeat_duration_seconds') }),
  panel('Checkpoint calls of agents', 'ops', { '{{call}}: {{result}}': rate('muster_agent_calls_total', 'call, result') }),
  panel('Rows relayed, events dispatched', 'ops', { relayed: 'sum(rate(muster_relay_published_rows_total[$__rate_interval]))', 'dispatched: {{verdict}}': rate('muster_dispatched_events_total', 'verdict') }),
  panel('Activities', 'ops', { '{{activity}}: {{result}}': rate('muster_activity_duration_seconds_count', 'activity, result') }),
  panel('Time of activities, p99', 's', { '{{activity}}': quantile(0.99, 'muster_activity_duration_seconds', 'activity') }),
  panel('Workers that poll, and pollers of their core', 'short', { 'polling: {{kind}}': 'sum by (kind) (muster_worker_polling)', '{{poller_type}}': 'sum by (poller_type) (temporal_num_pollers)' }),
  panel('Connections to Postgres', 'short', { '{{state}} {{instance}}': 'muster_database_pool_connections' }),
  panel('Requests that wait for a connection', 'short', { '{{instance}}': 'muster_database_pool_waiting_requests' }),
  panel('Event-loop delay, p99', 's', { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds' }),
  panel('CPU', 'percentunit', { '{{instance}}': 'rate(process_cpu_seconds_total[$__rate_interval])' }),
  panel('Memory', 'bytes', { '{{instance}}': 'process_resident_memory_bytes' }),
  panel('Runs of sweeps that failed', 'ops', { '{{sweep}}': 'sum by (sweep) (rate(muster_sweep_runs_total{result="failed"}[$__rate_interval]))' }),
  panel('Agents: members, failed beats', 'short', { members: 'sum(muster_agent_members)', 'beats: {{result}}': rate('muster_agent_beats_total', 'result') }),
  panel('Agents: output taken', 'Bps', { output: 'sum(rate(muster_agent_log_bytes_total[$__rate_interval]))' }),
]);

export const dashboards: readonly Dashboard[] = [cluster, processes];
