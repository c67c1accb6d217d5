/**
 * The one timer of a run. It stays set across wakes while the deadline stands: cancelling and setting it anew at each
 * wake would cost two history events a wake.
 */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** Deadlines come as "so long from now by the database's clock": two readings of one deadline differ by their travel time. */
export const readingSlackMs = 250;

export class Alarm {
  #rung = false;
  #ringsAtMs = 0;
  #scope: CancellationScope | undefined;

  /** Whether it has rung since it was last set. */
  get rung(): boolean { return this.#rung; }

  /** Rings `inMs` from now. A standing timer is kept where it rings at most `earlyMs` sooner, or a reading's slack later. */
  set(inMs: number, earlyMs: number, summary: string): void {
    const ringsAtMs = Date.now() + inMs;
    if (this.#scope !== undefined && !this.#rung) {
      const laterMs = this.#ringsAtMs - ringsAtMs;
      if (laterMs >= -earlyMs && laterMs <= Math.min(readingSlackMs, inMs / 2)) return;
    }
    this.#scope?.cancel();
    this.#rung = false;
    this.#ringsAtMs = ringsAtMs;
    const scope = new CancellationScope();
    this.#scope = scope;
    void scope.run(() => sleep(inMs, { summary })).then(
      () => { if (this.#scope === scope) this.#rung = true; },
      (error: unknown) => { if (!isCancellation(error)) throw error; },
    );
  }
}
