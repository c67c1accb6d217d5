import { setTimeout as delay } from 'node:timers/promises';
import { describe } from './error.ts';
import type { Part } from './part.ts';
import type { Running } from './process.ts';

const firstPauseMs = 200;
const lastPauseMs = 15_000;
/** after that long without a death the next one is treated as the first */
const calmAfterMs = 60_000;

/**
 * Starts a part again whenever it dies, with a doubling, capped pause, until `stopping` is aborted or the part ends
 * by itself with code 0, which is how one is stopped on purpose.
 */
export async function keepRunning(part: Part, first: Running, start: () => Promise<Running>, changed: () => void, stopping: AbortSignal): Promise<void> {
  let running: Running | undefined = first;
  let pauseMs = firstPauseMs;
  while (!stopping.aborted) {
    if (running) {
      const startedMs = performance.now();
      const how = await running.exited;
      if (stopping.aborted) return;
      if (performance.now() - startedMs > calmAfterMs) pauseMs = firstPauseMs;
      if (how === 0 && part.kind !== 'service') {
        Object.assign(part, { state: 'stopped', pid: null, detail: 'ended by itself with code 0' });
        return changed();
      }
      Object.assign(part, { state: 'restarting', pid: null, detail: `ended with ${how}` });
      changed();
    }
    await delay(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return;
    pauseMs = Math.min(pauseMs * 2, lastPauseMs);
    running = await start().catch((error: unknown) => { part.detail = describe(error); return undefined; });
    if (running) Object.assign(part, { state: 'ready', pid: running.record.pid, restarts: part.restarts + 1, detail: null });
    if (!stopping.aborted) changed();
  }
}
