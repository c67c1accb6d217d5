/** Where the processes of the local stack show their metrics: one port each, counted from the first. */
import type { ProcessSpec } from './process.ts';
import { roleNames } from './part.ts';
import type { StackPorts } from './ports.ts';

/** Behind the API's port: another stack on other ports has other ports for its metrics too. */
const behindApi = 10;
/** Leaves room for the roles and for the worker's second port (Temporal's core). */
const agentsBehind = 10;
const portMax = 65_535;

/** Of the roles in their order, then the worker's core. Agents follow. */
export const temporalCorePort = (first: number): number => first + roleNames.length;
export const agentMetricsPort = (first: number, index: number): number => first + agentsBehind + index;

/**
 * MUSTER_METRICS_PORT is the first one; 0 turns metrics off.
 *
 * @throws Error that names the variable
 */
export function firstMetricsPort(ports: Pick<StackPorts, 'api'>, agents: number, env: NodeJS.ProcessEnv = process.env): number {
  const text = env['MUSTER_METRICS_PORT'];
  const first = text === undefined || text === '' ? ports.api + behindApi : Number(text);
  const last = agentMetricsPort(first, agents);
  if (!Number.isInteger(first) || first < 0 || last > portMax) throw new Error(`MUSTER_METRICS_PORT=${text ?? first}: give the first of ${last - first + 1} ports below ${portMax}, or 0 for no metrics`);
  return first;
}

/** The same process, showing its metrics. @param port  0: none */
export function withMetrics(spec: ProcessSpec, port: number, corePort = 0): ProcessSpec {
  return { ...spec, env: { ...spec.env, MUSTER_METRICS_PORT: String(port), MUSTER_TEMPORAL_METRICS_PORT: String(corePort) } };
}

/** @returns undefined for port 0 */
export const metricsUrl = (port: number, env: NodeJS.ProcessEnv = process.env): string | undefined =>
  port === 0 ? undefined : `http://${env['MUSTER_METRICS_HOST'] ?? '127.0.0.1'}:${port}/metrics`;
