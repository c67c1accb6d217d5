/** Waits for a condition. The limit is for a broken build only; no test depends on how long it takes. */
import { setTimeout as delay } from 'node:timers/promises';

export async function until(holds: () => Promise<boolean>, limitMs = 20_000): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`not within ${limitMs} ms: ${holds.toString()}`);
    await delay(20);
  }
}
