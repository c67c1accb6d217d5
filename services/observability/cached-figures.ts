/** Figures that many may ask for: read at most once a second, and never more than a tenth of the time. */
import type { Db } from '../platform/db.ts';
import { readFigures, type Figures } from './figures.ts';

const ageMinMs = 1_000;
/** A reading of 300 ms is kept for 3 s: counting a long queue must not become the load. */
const restPerReading = 10;

export interface ReadAt { readonly figures: Figures; readonly ageMs: number }

export class CachedFigures {
  readonly #db: Db;
  #last: { readonly figures: Figures; readonly readAtMs: number; readonly keptMs: number } | undefined;
  #reading: Promise<Figures> | undefined;

  constructor(db: Db) { this.#db = db; }

  /** Askers at the same time share one reading. @throws what the reading throws; nothing older is served then */
  async read(): Promise<ReadAt> {
    const ageMs = this.#last ? performance.now() - this.#last.readAtMs : Infinity;
    if (this.#last && ageMs < this.#last.keptMs) return { figures: this.#last.figures, ageMs };
    this.#reading ??= this.#readAnew().finally(() => { this.#reading = undefined; });
    return { figures: await this.#reading, ageMs: 0 };
  }

  async #readAnew(): Promise<Figures> {
    const startedAtMs = performance.now();
    const figures = await readFigures(this.#db);
    const readAtMs = performance.now();
    this.#last = { figures, readAtMs, keptMs: Math.max(ageMinMs, (readAtMs - startedAtMs) * restPerReading) };
    return figures;
  }
}
