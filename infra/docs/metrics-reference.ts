/** docs/metrics.md from the registry of metrics: `node infra/docs/metrics-reference.ts` writes it, a test compares. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '#services/platform/config.ts';
import { describeMetrics, type DescribedMetric } from '#services/platform/metrics.ts';

export const metricsFile = path.join(repositoryRoot, 'docs/metrics.md');

export async function renderMetrics(): Promise<string> {
  const all = await describeMetrics();
  return [
    '# Metrics', '',
    'Written by `node infra/docs/metrics-reference.ts` from `services/platform/metrics.ts`; a test compares.', '',
    'Each process serves `GET /metrics` (Prometheus text) on a port of its own: `MUSTER_METRICS_PORT`, 0 for none. `muster up` gives each process one, from the API\'s port + 10 on: the roles in the order of `muster status`, then Temporal\'s core, agents from + 20 on; `muster status --json` has the addresses. The worker shows what Temporal\'s core tells (`temporal_…`) at `MUSTER_TEMPORAL_METRICS_PORT`. `all`, every role in one process, shows everything but the agent\'s.', '',
    'Beside these every process shows what Node tells: `process_cpu_seconds_total`, `process_resident_memory_bytes`, `nodejs_eventloop_lag_p99_seconds` and so on.', '',
    'Units stand last in names. Labels have few values: no ids of jobs, nodes or requests. A dashboard for each question and alert rules with runbooks lie in [infra/dashboards](../infra/dashboards/README.md).', '',
    '## Of the cluster', '',
    'Read from the database at a scrape, at most once a second and a tenth of the time, by the reconciler that leads, and shown by no other process. While they can not be read they are absent, and `muster_cluster_figures_available` is 0.', '',
    ...table(all.filter((metric) => metric.ofCluster)), '',
    '## Of processes', '',
    ...table(all.filter((metric) => !metric.ofCluster), true), '',
  ].join('\n');
}

function table(metrics: readonly DescribedMetric[], withRoles = false): string[] {
  return [
    `| metric | type | labels |${withRoles ? ' roles |' : ''} meaning |`, `|---|---|---|${withRoles ? '---|' : ''}---|`,
    ...metrics.map(({ name, type, labels, roles, help }) => `| \`${name}\` | ${type} | ${labels.join(', ')} |${withRoles ? ` ${roles.join(', ')} |` : ''} ${help} |`),
  ];
}

if (import.meta.main) await writeFile(metricsFile, await renderMetrics());
