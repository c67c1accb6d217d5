/** What roles report to the metrics, at the seams where work comes in and results go out. Rules know nothing of it. */
import type { Worker } from '@temporalio/worker';
import { dispatcherConsumer } from '../events/dispatch.ts';
import type { Answer, BeatRefusal } from '../fleet/model.ts';
import type { Config } from '../platform/config.ts';
import * as metrics from '../platform/metrics.ts';
import { readAtScrape } from '../platform/metrics-scrape.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { consumerLag } from '../platform/nats/consumer-lag.ts';

export function measureRound(elapsedMs: number, verdicts: readonly string[]): void {
  metrics.placementRoundDuration.observe(elapsedMs / 1_000);
  for (const verdict of verdicts) metrics.placements.inc({ verdict });
}

export const measurePublished = (rows: number): void => metrics.relayedEvents.inc(rows);
export const measureDelivery = (verdict: string): void => metrics.dispatchedEvents.inc({ verdict });

/** Reads the dispatcher's lag at each scrape. @returns how to end that */
export function watchDispatcher(bus: Bus, { scope }: Pick<Config, 'scope'>): () => void {
  return readAtScrape('dispatcher', async () => {
    metrics.dispatcherLag.reset(); // a number that NATS doesn't confirm now is none
    metrics.dispatcherLag.set({ consumer: dispatcherConsumer }, await consumerLag(bus, scope, dispatcherConsumer));
  });
}

type BeatHandler = (value: unknown, subject: string) => Promise<Answer | BeatRefusal>;

export const measuredBeats = (handle: BeatHandler): BeatHandler => async (value, subject) => {
  const end = metrics.heartbeatDuration.startTimer();
  const answer = await handle(value, subject);
  end();
  metrics.heartbeats.inc({ result: 'refused' in answer ? answer.refused : 'taken' });
  return answer;
};

const callOps: ReadonlySet<unknown> = new Set(['shards', 'commit']);

/** The same bus, counting the calls that are answered over it. */
export function withMeasuredCalls(bus: Bus): Bus {
  return {
    ...bus,
    respond: (subject, handle, options) => bus.respond(subject, async (value, from) => {
      const reply = await handle(value, from);
      const op = (value as { op?: unknown } | undefined)?.op;
      const { ok, code } = reply as { ok: boolean; code?: string };
      metrics.agentCalls.inc({ call: callOps.has(op) ? String(op) : 'unknown', result: ok ? 'ok' : code ?? 'unknown' });
      return reply;
    }, options),
  };
}

/** Shows each sweep at zero from the start: what never found anything is a series too. */
export function expectSweeps(names: readonly string[]): void {
  for (const sweep of names) {
    metrics.sweepFindings.inc({ sweep }, 0);
    for (const result of ['done', 'failed']) metrics.sweepRuns.inc({ sweep, result }, 0);
  }
}

export async function measureSweep(sweep: string, run: () => Promise<number>): Promise<number> {
  try {
    const found = await run();
    metrics.sweepFindings.inc({ sweep }, found);
    metrics.sweepRuns.inc({ sweep, result: 'done' });
    return found;
  } catch (error) {
    metrics.sweepRuns.inc({ sweep, result: 'failed' });
    throw error;
  }
}

/** Reads at each scrape whether the worker polls. @returns how to end that: a worker that is gone polls nothing */
export function watchWorker(worker: Worker): () => void {
  const set = (workflow: boolean, activity: boolean): void => {
    metrics.workerPolling.set({ kind: 'workflow' }, workflow ? 1 : 0);
    metrics.workerPolling.set({ kind: 'activity' }, activity ? 1 : 0);
  };
  const unwatch = readAtScrape('worker', () => {
    const { workflowPollerState, activityPollerState } = worker.getStatus();
    set(workflowPollerState === 'POLLING', activityPollerState === 'POLLING');
  });
  return () => { unwatch(); set(false, false); };
}
