/**
 * A thousand agents that beat every five seconds, each with a connection, a credential and a login of its own: what the
 * control plane pays for them, and how long a beat takes from sending to its answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { machine, round } from './load.ts';
import type { Figure } from './main.ts';
import { rssMb, BenchStack } from './stack.ts';

const agents = 1_000;
const devices = 8;
const heartbeatMs = 5_000;
/** logins and facts are over by then */
const settleMs = 15_000;
const windowMs = 60_000;

export async function* fleet(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open({ MUSTER_HEARTBEAT_MS: String(heartbeatMs) });
  try {
    const ingest = await stack.start('ingest');
    const rssBeforeMb = rssMb(process.pid);
    const startedAt = performance.now();
    const simulated = await stack.simulate({ nodes: { count: agents, devices } });
    const letInS = round((performance.now() - startedAt) / 1_000);
    await delay(settleMs);
    simulated.statistics.forgetBeats();
    const parts = ['postgres', 'nats', ingest] as const;
    const before = parts.map((part) => stack.cpuSeconds(part));
    const begunAt = performance.now();
    await delay(windowMs);
    const seconds = (performance.now() - begunAt) / 1_000;
    const [postgres = 0, nats = 0, ingestCores = 0] = parts.map((part, index) => round((stack.cpuSeconds(part) - (before[index] ?? 0)) / seconds, 3));
    const { beatMs, counts } = simulated.state();
    const params = { agents, devices, heartbeat_ms: heartbeatMs, window_s: round(seconds, 1), beats: beatMs.samples, ...machine() };
    yield { bench: 'fleet', figure: 'heartbeat_p99_ms_1000_agents', value: beatMs.p99, unit: 'ms', params: { ...params, p50_ms: beatMs.p50, max_ms: beatMs.max, unanswered: counts.unanswered } };
    yield { bench: 'fleet', figure: 'control_plane_cpu_cores_1000_agents', value: round(postgres + nats + ingestCores), unit: 'cores', params: { ...params, postgres, nats, ingest: ingestCores } };
    yield { bench: 'fleet', figure: 'let_in_s_1000_agents', value: letInS, unit: 's', params: { agents, ...machine() } };
    yield { bench: 'fleet', figure: 'simulator_rss_kb_an_agent', value: round((rssMb(process.pid) - rssBeforeMb) * 1_000 / agents, 0), unit: 'kB', params: { agents } };
    await simulated.close();
  } finally {
    await stack.close();
  }
}
