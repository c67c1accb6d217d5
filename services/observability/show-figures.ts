/** The figures of the cluster as gauges. */
import * as metrics from '../platform/metrics.ts';
import type { ReadFigures } from '../platform/metrics-scrape.ts';
import type { CachedFigures } from './cached-figures.ts';
import type { Figures } from './figures.ts';

export const figuresFrom = (source: CachedFigures): ReadFigures => async () => show((await source.read()).figures);

/** Gauges of models and states that are gone must go too, so those are set anew each time. */
export function show(figures: Figures): void {
  for (const gauge of [metrics.devices, metrics.devicesAllocated, metrics.nodes]) gauge.reset();
  for (const { class: name, jobs, oldestAgeMs } of figures.queue) {
    metrics.queueJobs.set({ class: name }, jobs);
    metrics.queueOldestAge.set({ class: name }, oldestAgeMs / 1_000);
  }
  for (const [state, jobs] of Object.entries(figures.active)) metrics.activeJobs.set({ state }, jobs);
  metrics.outboxUnnumbered.set(figures.outbox.unnumberedRows);
  metrics.outboxUnrelayed.set(figures.outbox.unrelayedRows);
  metrics.outboxLag.set(figures.outbox.lagMs / 1_000);
  metrics.deadLetters.set({ state: 'DEAD' }, figures.deadLetters.dead);
  metrics.deadLetters.set({ state: 'REDRIVEN' }, figures.deadLetters.redriven);
  metrics.fencedAllocations.set(figures.fencedMembers);
  for (const [state, { schedulable, other }] of Object.entries(figures.nodes)) {
    metrics.nodes.set({ state, schedulable: 'true' }, schedulable);
    metrics.nodes.set({ state, schedulable: 'false' }, other);
  }
  for (const { model, health, usedMilli } of figures.models) {
    for (const [name, count] of Object.entries(health)) metrics.devices.set({ model, health: name }, count);
    metrics.devicesAllocated.set({ model }, usedMilli / 1_000);
  }
}
