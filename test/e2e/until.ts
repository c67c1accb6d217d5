import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const lookEveryMs = 50;

/**
 * Waits for a condition.
 *
 * @param look     what is wanted, or undefined or false while it isn't there
 * @param missing  for the message: what there is instead
 */
export async function until<T>(
  what: string, look: () => T | undefined | false | Promise<T | undefined | false>, timeoutMs = 20_000, missing?: () => unknown,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) {
      const instead = missing === undefined ? '' : `; there is ${inspect(await missing(), { depth: 6, breakLength: Infinity })}`;
      throw new Error(`waited ${timeoutMs} ms in vain for ${what}${instead}`);
    }
    await delay(lookEveryMs);
  }
}
