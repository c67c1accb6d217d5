/** What a simulated fleet did, and how long its beats took. */
import type { FaultKind } from './scenario.ts';

const counters = ['beats', 'answers', 'unanswered', 'refused beats', 'forged answers', 'members started', 'members exited', 'members refused', 'members stopped', 'members killed', 'members buried', 'members misled', 'lives'] as const;
export type Counter = (typeof counters)[number];

/** Newest beats that quantiles are taken of: four minutes of a thousand nodes. */
const samplesMax = 65_536;

export interface Summary {
  readonly counts: Readonly<Record<Counter, number>>;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** of the newest beats that were answered and not disturbed; NaN without any */
  readonly beatMs: { readonly p50: number; readonly p99: number; readonly max: number; readonly samples: number };
}

export class Statistics {
  readonly #counts = Object.fromEntries(counters.map((name) => [name, 0])) as Record<Counter, number>;
  readonly #faults: Partial<Record<FaultKind, number>> = {};
  readonly #samples = new Float64Array(samplesMax);
  #taken = 0;

  count(counter: Counter, times = 1): void { this.#counts[counter] += times; }
  fault(kind: FaultKind): void { this.#faults[kind] = (this.#faults[kind] ?? 0) + 1; }

  beat(ms: number): void {
    this.#samples[this.#taken % samplesMax] = ms;
    this.#taken += 1;
  }

  /** Quantiles start anew, for a window of measurement. */
  forgetBeats(): void { this.#taken = 0; }

  summary(): Summary {
    const sorted = this.#samples.slice(0, Math.min(this.#taken, samplesMax)).sort();
    const at = (part: number): number => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN) * 100) / 100;
    return { counts: { ...this.#counts }, faults: { ...this.#faults }, beatMs: { p50: at(0.5), p99: at(0.99), max: at(1), samples: sorted.length } };
  }
}
