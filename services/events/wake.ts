/**
 * Wakes readers of the outbox after a commit, over core NATS: nothing notifies inside a transaction (stack.md 3.3). A
 * wake carries nothing and may be lost; every reader also polls.
 */
import type { Latch } from '../platform/latch.ts';
import type { Bus, Subscription } from '../platform/nats/bus.ts';
import { wakeReadersBy } from './append.ts';
import { outboxWakeSubject } from './model.ts';

/** Commits of one process within that long are one wake; the first goes out at once. */
const coalesceMs = 5;

/** From now on this process's commits wake readers, everywhere. */
export function wakeReadersOver(bus: Bus): void {
  wakeReadersBy(coalesced(() => bus.publish(outboxWakeSubject, null)));
}

/** At once, then at most once in coalesceMs, the last call included. */
function coalesced(effect: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  const elapsed = (): void => {
    timer = undefined;
    if (again) call();
  };
  function call(): void {
    if (timer) {
      again = true;
      return;
    }
    again = false;
    effect();
    timer = setTimeout(elapsed, coalesceMs);
  }
  return call;
}

/** Opens `latch` whenever rows were committed, and after a reconnection, since wakes were missed meanwhile. */
export function openOnWakes(bus: Bus, latch: Latch): Subscription {
  bus.onReconnect(() => latch.open());
  return bus.listen(outboxWakeSubject, () => latch.open());
}
