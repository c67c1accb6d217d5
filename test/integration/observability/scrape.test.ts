/** What each role's own process shows at its `/metrics`, after jobs have run on a real fleet. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { describeMetrics } from '#services/platform/metrics.ts';
import { roleNames } from '#services/platform/metrics-roles.ts';
import { Fleet, untilOpen } from '../../e2e/fleet.ts';
import { Part } from '../../e2e/part.ts';
import { until } from '../../e2e/until.ts';
import { coreMetrics } from '../../unit/observability/promql.ts';
import { muster } from '../cli/api-process.ts';
import { parseMetrics, type Sample } from './prometheus-text.ts';

let fleet: Fleet;
const ports = new Map<string, number>();
const timeout = 60_000;

beforeAll(async () => {
  fleet = await Fleet.open({ nodes: 1, apart: true });
  const names = [...roleNames, 'core'];
  for (const [index, port] of (await findFreePorts(names.length)).entries()) ports.set(names[index]!, port);
  await Promise.all([
    ...[...fleet.roles.values()].filter(({ name }) => name !== 'reconciler')
      .map((role) => restart(role, { MUSTER_TEMPORAL_METRICS_PORT: role.name === 'worker' ? String(ports.get('core')) : '0' })),
    fleet.agent('n1').kill('SIGTERM').then(() => fleet.startAgent('n1', { MUSTER_METRICS_PORT: String(ports.get('agent')) })),
  ]);
  await fleet.ready(1);
  await restart(fleet.role('reconciler'), {}); // last: what it finds is of the time when all were up
}, 120_000);
afterAll(() => fleet?.close());
afterEach((context) => fleet.settle(context));

async function restart(role: Part, env: Record<string, string>): Promise<void> {
  await role.kill('SIGTERM');
  await role.start({ MUSTER_METRICS_PORT: String(ports.get(role.name)), ...env });
}

async function scrape(name: string): Promise<Sample[]> {
  const answer = await fetch(`http://127.0.0.1:${ports.get(name)}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  return parseMetrics(await answer.text());
}

async function value(role: string, name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  return (await scrape(role)).find((sample) => sample.name === name && Object.entries(labels).every(([label, wanted]) => sample.labels[label] === wanted))?.value;
}

const reaches = (role: string, name: string, labels: Record<string, string>, holds: (found: number) => boolean) =>
  until(`${name} of ${role}`, async () => holds((await value(role, name, labels)) ?? NaN), 20_000, () => scrape(role).then((samples) => samples.filter((sample) => sample.name === name)));

describe('a job that ran', () => {
  it('is seen by every role that had a part in it', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'echo hello'], members: 2, devicesPerMember: 1 });
    await fleet.state(id, 'SUCCEEDED');
    expect(await value('api', 'muster_job_transitions_total', { event: 'submitted', to: 'QUEUED' })).toBe(1);
    expect(await value('api', 'muster_http_request_duration_seconds_count', { route: '/v1/jobs', method: 'POST', status: '201' })).toBe(1);
    expect(await value('scheduler', 'muster_job_transitions_total', { event: 'placed', to: 'RESERVED' })).toBe(1);
    expect(await value('scheduler', 'muster_placements_total', { verdict: 'placed' })).toBe(1);
    expect(await value('scheduler', 'muster_placement_round_duration_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(await value('ingest', 'muster_job_transitions_total', { event: 'allAccepted', to: 'STARTING' })).toBe(1);
    expect(await value('ingest', 'muster_heartbeats_total', { result: 'taken' })).toBeGreaterThan(1);
    expect(await value('ingest', 'muster_heartbeat_duration_seconds_count')).toBeGreaterThan(1);
    expect(await value('worker', 'muster_job_transitions_total', { event: 'allSucceeded', to: 'SUCCEEDED' })).toBe(1);
    expect(await value('worker', 'muster_activity_duration_seconds_count', { activity: 'succeedJob', result: 'ok' })).toBe(1);
    expect(await value('relay', 'muster_relay_published_rows_total')).toBeGreaterThanOrEqual(4);
    expect(await value('relay', 'muster_dispatched_events_total', { verdict: 'done' })).toBeGreaterThanOrEqual(2);
    await reaches('agent', 'muster_agent_log_bytes_total', {}, (bytes) => bytes === 2 * 'hello\n'.length);
    expect(await value('agent', 'muster_agent_beats_total', { result: 'applied' })).toBeGreaterThan(1);
  });

  it('and one that waits, one that runs: the leading reconciler alone shows the figures of the cluster', { timeout }, async () => {
    const gate = fleet.gate();
    const running = await fleet.submit({ argv: untilOpen(gate), members: 1, devicesPerMember: 8 });
    await fleet.state(running, 'RUNNING');
    const waiting = await fleet.submit({ argv: ['true'], members: 1, devicesPerMember: 8, priorityClass: 'high' });
    await reaches('reconciler', 'muster_queue_jobs', { class: 'high' }, (jobs) => jobs === 1);
    await reaches('reconciler', 'muster_queue_oldest_age_seconds', { class: 'high' }, (seconds) => seconds > 0);
    expect(await value('reconciler', 'muster_cluster_figures_available')).toBe(1);
    expect(await value('reconciler', 'muster_active_jobs', { state: 'RUNNING' })).toBe(1);
    expect(await value('reconciler', 'muster_devices', { model: 'virtual-h100', health: 'ok' })).toBe(8);
    expect(await value('reconciler', 'muster_devices_allocated', { model: 'virtual-h100' })).toBe(8);
    expect(await value('reconciler', 'muster_nodes', { state: 'LIVE', schedulable: 'true' })).toBe(1);
    expect(await value('reconciler', 'muster_dead_letters', { state: 'DEAD' })).toBe(0);
    await reaches('reconciler', 'muster_outbox_unrelayed_rows', {}, (rows) => rows === 0);
    await reaches('relay', 'muster_dispatcher_lag_messages', { consumer: 'dispatcher' }, (messages) => messages === 0);
    expect(await value('agent', 'muster_agent_members')).toBe(1);

    const standby = new Part('reconciler-2', 'reconciler', fleet.roleEnv);
    const [port] = await findFreePorts(1);
    ports.set('standby', port!);
    try {
      await standby.start({ MUSTER_METRICS_PORT: String(port) });
      expect(await value('standby', 'muster_cluster_figures_available')).toBe(0);
      expect(await value('standby', 'muster_leader_held', { name: 'reconciler' })).toBe(0);
      expect(await value('standby', 'muster_queue_jobs', { class: 'high' })).toBeUndefined();
    } finally {
      await standby.kill('SIGTERM');
    }

    const top = await muster(['top', '--once', '--json'], fleet.cliEnv);
    expect(JSON.parse(top.out)).toMatchObject({
      fleet: { nodes: { LIVE: { total: 1, schedulable: 1 } }, models: [{ model: 'virtual-h100', devices: 8, healthy: 8, schedulable: 8, usedMilli: 8_000 }] },
      jobs: { RUNNING: 1, LOST: 0 }, deadLetters: { dead: 0, redriven: 0 }, events: { dispatcherLag: 0 },
    });
    expect(JSON.parse(top.out).queue[0]).toMatchObject({ class: 'high', jobs: 1 });
    const screen = await muster(['top'], fleet.cliEnv);
    expect(screen.out).toContain(running);
    expect(screen.out).toMatch(/high\s+1\b/);
    gate.open();
    await fleet.state(running, 'SUCCEEDED');
    await fleet.state(waiting, 'SUCCEEDED');
  });
});

describe('every role', () => {
  it.each(roleNames)('%s shows the metrics that the registry gives it, and no id in any label', { timeout }, async (role) => {
    const samples = await scrape(role);
    const shown = new Set(samples.map(({ name }) => name));
    for (const { name, roles, ofCluster, type, labels } of await describeMetrics()) {
      const isHere = roles.includes(role) && !ofCluster;
      if (isHere && labels.length === 0) expect(shown).toContain(type === 'histogram' ? `${name}_count` : name);
      if (!roles.includes(role)) expect(shown).not.toContain(name);
    }
    expect(shown).toContain('nodejs_eventloop_lag_p99_seconds');
    for (const { labels } of samples) for (const text of Object.values(labels)) expect(text).not.toMatch(/\b(job|req|key|dead|team)_[0-9a-z]{26}\b|^n1$/);
  });

  it('with a database tells of its pool, and the ones with a leader who leads', { timeout }, async () => {
    for (const role of roleNames.filter((name) => name !== 'agent')) {
      const samples = await scrape(role);
      expect(samples.filter(({ name }) => name === 'muster_database_pool_connections').map(({ labels }) => labels['state']).sort()).toEqual(['busy', 'idle']);
    }
    for (const name of ['scheduler', 'relay', 'reconciler']) await reaches(name, 'muster_leader_held', { name }, (held) => held === 1);
  });

  it('sweeps find nothing that a healthy fleet would not have, and each is a series from the start', { timeout }, async () => {
    const samples = await scrape('reconciler');
    const found = samples.filter(({ name }) => name === 'muster_sweep_findings_total');
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(({ value: findings }) => findings > 0)).toEqual([]);
    await reaches('reconciler', 'muster_sweep_runs_total', { sweep: 'silent nodes', result: 'done' }, (runs) => runs > 0);
  });

  it("the worker polls, and Temporal's core shows its pollers on a port of its own", { timeout }, async () => {
    expect(await value('worker', 'muster_worker_polling', { kind: 'workflow' })).toBe(1);
    expect(await value('worker', 'muster_worker_polling', { kind: 'activity' })).toBe(1);
    const core = await scrape('core');
    for (const name of coreMetrics) expect(core.map((sample) => sample.name)).toContain(name);
    expect(core.find((sample) => sample.name === 'temporal_num_pollers')?.labels['poller_type']).toBeDefined();
  });

  it('answers nothing else on its port', { timeout }, async () => {
    expect((await fetch(`http://127.0.0.1:${ports.get('api')}/v1/jobs`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${ports.get('api')}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('goes on without metrics where their port is taken, and says so', { timeout }, async () => {
    const second = new Part('relay-2', 'relay', fleet.roleEnv);
    await second.start({ MUSTER_METRICS_PORT: String(ports.get('relay')) });
    await until('the line', () => second.log.includes('no metrics: their port can not be opened'));
    expect(second.isUp).toBe(true);
    await second.kill('SIGTERM');
  });
});
