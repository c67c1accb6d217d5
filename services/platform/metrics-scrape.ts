/** What one scrape answers: the metrics of the role, and the figures of the cluster where this process has them. */
import { Registry } from 'prom-client';
import { clusterRegistry, figuresAvailable, registryOf } from './metrics.ts';
import type { MetricRole } from './metrics-roles.ts';

/** Sets the gauges of `clusterRegistry`; throws where the figures can't be read now. */
export type ReadFigures = () => Promise<void>;
let readFigures: ReadFigures | undefined;

/** Whoever leads provides them; `undefined` when it no longer does: two processes would show two truths. */
export function provideFigures(read: ReadFigures | undefined): void {
  readFigures = read;
}

/** Gauges that are read at a scrape, by a name of their own: the last one of a name counts. */
const readers = new Map<string, () => void | Promise<void>>();
export function readAtScrape(name: string, read: () => void | Promise<void>): () => void {
  readers.set(name, read);
  return () => { if (readers.get(name) === read) readers.delete(name); };
}

export const contentType = Registry.PROMETHEUS_CONTENT_TYPE;

/** Text in the format of Prometheus. What can't be read is left out, so that the rest still arrives. */
export async function scrape(role: MetricRole | 'all'): Promise<string> {
  await Promise.all([...readers.values()].map(async (read) => read()).map((reading) => reading.catch(() => undefined)));
  const available = await takeFigures();
  figuresAvailable.set(available ? 1 : 0);
  const own = registryOf(role);
  return (available ? Registry.merge([own, clusterRegistry]) : own).metrics();
}

async function takeFigures(): Promise<boolean> {
  if (!readFigures) return false;
  try {
    await readFigures();
    return readFigures !== undefined;
  } catch {
    return false;
  }
}
