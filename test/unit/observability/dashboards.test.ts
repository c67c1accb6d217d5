import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from '#infra/dashboards/dashboards.ts';
import { expressionsOf } from '#infra/dashboards/grafana.ts';
import { fileOf, textOf } from '#infra/dashboards/write.ts';
import { metricsFile, renderMetrics } from '#infra/docs/metrics-reference.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { describeMetrics } from '#services/platform/metrics.ts';
import { anchorsOf, readPage } from '../docs/markdown.ts';
import { coreMetrics, labelsIn, metricsIn } from './promql.ts';

interface Rule { readonly alert: string; readonly expr: string; readonly labels: { severity: string }; readonly annotations: { summary: string; runbook: string } }
const { groups } = parse(readFileSync(path.join(repositoryRoot, 'infra/dashboards/alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

const own = await describeMetrics();
const standard = new Registry();
collectDefaultMetrics({ register: standard });
const ofHistogram = (name: string): string[] => [`${name}_bucket`, `${name}_sum`, `${name}_count`];
const known = new Set([
  ...own.flatMap(({ name, type }) => (type === 'histogram' ? ofHistogram(name) : [name])),
  ...standard.getMetricsAsArray().map(({ name }) => name),
  ...coreMetrics,
  'up', // Prometheus' own
]);

it('docs/metrics.md is what the registry says; `node infra/docs/metrics-reference.ts` writes it', async () => {
  expect(readFileSync(metricsFile, 'utf8')).toBe(await renderMetrics());
});

describe('metrics', () => {
  it.each(own)('$name has the unit last, a help and no id among its labels', ({ name, type, help, labels }) => {
    expect(name).toMatch(type === 'counter' ? /^muster_[a-z_]+_total$/ : /^muster_[a-z_]+$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    if (type !== 'counter') expect(name).not.toMatch(/_total$/);
    expect(help.length).toBeGreaterThan(20);
    for (const label of labels) expect(['job', 'node', 'request', 'workflow', 'rank', 'epoch', 'key', 'team']).not.toContain(label);
  });
});

describe.each(dashboards)('dashboard $title', (one) => {
  it('stands as its source says; `node infra/dashboards/write.ts` writes it', () => {
    expect(readFileSync(fileOf(one), 'utf8')).toBe(textOf(one));
  });

  it('names only metrics that are there, and only labels that they have', () => {
    const named = expressionsOf(one).flatMap(metricsIn);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    for (const expression of expressionsOf(one)) expect([expression, unknownLabels(expression)]).toEqual([expression, []]);
  });
});

describe.each(rules)('alert $alert', ({ expr, labels, annotations }) => {
  it('names only metrics that are there, and only labels that they have', () => {
    const named = metricsIn(expr);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    expect(unknownLabels(expr)).toEqual([]);
  });

  it('has a severity, a summary and a runbook that exists', () => {
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations.summary.length).toBeGreaterThan(10);
    const [file = '', anchor = ''] = annotations.runbook.split('#');
    expect(anchorsOf(readPage(file))).toContain(anchor);
  });
});

it('every metric of ours is on a dashboard or in an alert', () => {
  const used = new Set([...dashboards.flatMap(expressionsOf), ...rules.map((rule) => rule.expr)].flatMap(metricsIn).map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect(own.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([]);
});

/** Labels that an expression asks for and that none of its metrics has. */
function unknownLabels(expression: string): string[] {
  const metrics = metricsIn(expression).map((name) => own.find((one) => one.name === name || ofHistogram(one.name).includes(name)));
  const had = new Set(['le', 'instance', 'job', 'poller_type', ...metrics.flatMap((metric) => metric?.labels ?? [])]);
  return labelsIn(expression).filter((label) => !had.has(label));
}
