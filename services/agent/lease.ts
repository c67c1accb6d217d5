import path from 'node:path';
import { mkdirSync } from 'node:fs';
import { readWhole, writeWhole } from './durable-file.ts';

/** The node's lease, in a file that the wrappers of exclusive members read (P20). It only ever grows. */
export class Lease {
  readonly file: string;
  #untilMs = 0;

  readonly #bootId: string;

  constructor(dataDir: string, bootId: string) {
    this.#bootId = bootId;
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    this.file = path.join(dataDir, 'lease.json');
    const known = readWhole(this.file) as { untilMonotonicMs?: unknown; bootId?: unknown } | undefined;
    // Of another boot: that clock started anew.
    if (typeof known?.untilMonotonicMs === 'number' && known.bootId === bootId) this.#untilMs = known.untilMonotonicMs;
  }

  /** @param untilMs  of the monotonic clock, counted from when the beat was sent */
  extend(untilMs: number): void {
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    writeWhole(this.file, { untilMonotonicMs: untilMs, bootId: this.#bootId });
  }
}
