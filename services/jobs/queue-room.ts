/** The bound of a team's queue (queuedJobsMaxPerTeam), without counting 200,000 rows at every submit. */
import type { Tx } from '../platform/db.ts';
import { problem, type Problem } from '../platform/errors.ts';
import { countWaiting } from './queries.ts';

/** A count is trusted that long while there is room, plus what this process has submitted since. */
const trustedMs = 5_000;
/** A full queue is counted again at most that often, so that refusals stay cheap and room shows soon. */
const fullTrustedMs = 100;

interface Estimate { waiting: number; readonly countedAtMs: number }

/** Several API processes overshoot by what each submits within `trustedMs` at most. */
export class QueueRoom {
  readonly #max: number;
  readonly #estimates = new Map<string, Estimate>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts again where that is due, in the caller's transaction: a second connection while it holds one could exhaust the pool. */
  async look(tx: Tx, teamIds: readonly string[]): Promise<void> {
    for (const teamId of teamIds) {
      const estimate = this.#estimates.get(teamId);
      const ageMs = estimate ? performance.now() - estimate.countedAtMs : Infinity;
      if (estimate && ageMs <= (estimate.waiting >= this.#max ? fullTrustedMs : trustedMs)) continue;
      const countedAtMs = performance.now();
      this.#estimates.set(teamId, { countedAtMs, waiting: await countWaiting(tx, teamId, this.#max) });
    }
  }

  /** Takes one place of a team that was looked at. @returns `queue_full` 429 with the limit and the number of waiting jobs, where there is none */
  take(teamId: string): Problem | undefined {
    const estimate = this.#estimates.get(teamId);
    if (!estimate || estimate.waiting >= this.#max) return problem('queue_full', { limit: this.#max, waiting: estimate?.waiting ?? 0 });
    estimate.waiting += 1;
    return undefined;
  }
}
