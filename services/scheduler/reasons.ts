/**
 * Which reasons have to be written: of a job that is new to its bucket, or whose bucket's reason has changed. The work
 * follows changes, not the number of waiting jobs.
 */
import type { Db } from '../platform/db.ts';
import { bucketKey, type PendingJob, type Reason, type RoundPlan } from './model.ts';
import { delayReason } from './explain.ts';
import type { FleetState } from './state.ts';
import { writeWaiting, type WaitingRow } from './store.ts';

/** Rows of one statement: a few milliseconds. */
const rowsPerStatement = 500;
/** Statements of one pass; the rest waits for the next, so that placing never waits long for explaining. */
const statementsPerPass = 4;

/** Numbers in a sentence change with every start; rewriting the rows of a whole bucket each time would cost more than the starts. */
const sentenceMs = 5_000;

export class ReasonBook {
  /** last reason of a bucket, and since when its sentence stands */
  readonly #said = new Map<string, Reason & { readonly saidAtMs: number }>();
  /** what is in the rows, by job */
  readonly #written = new Map<string, Reason>();
  readonly #toWrite = new Map<string, Reason>();

  /** What a row was read with. */
  read(job: PendingJob, written: Reason | null, nowMs: number): void {
    if (written) this.#written.set(job.id, written);
    else this.#written.delete(job.id);
    const reason = job.notBeforeMs > nowMs ? delayReason(job) : this.#said.get(bucketKey(job));
    if (reason) this.#want(job.id, reason);
  }

  forget(jobId: string): void {
    this.#written.delete(jobId);
    this.#toWrite.delete(jobId);
  }

  /** What a round has found. A new code is told at once; new numbers of the same code only when the old are stale. */
  note(plan: RoundPlan, state: FleetState, nowMs: number): void {
    for (const key of this.#said.keys()) if (!state.buckets.has(key)) this.#said.delete(key);
    for (const [key, reason] of plan.reasons) {
      const said = this.#said.get(key);
      if (same(said, reason) || (said?.code === reason.code && nowMs - said.saidAtMs < sentenceMs)) continue;
      this.#said.set(key, { ...reason, saidAtMs: nowMs });
      for (const job of state.buckets.get(key)?.jobs ?? []) this.#want(job.id, reason);
    }
  }

  /** A back-off is over: the job is in its bucket now and gets the bucket's reason. */
  joined(job: PendingJob): void {
    const reason = this.#said.get(bucketKey(job));
    if (reason) this.#want(job.id, reason);
  }

  get pending(): boolean { return this.#toWrite.size > 0; }

  /** Writes a bounded part of what is due. */
  async write(db: Db): Promise<void> {
    for (let statements = 0; statements < statementsPerPass && this.#toWrite.size > 0; statements++) {
      const rows: WaitingRow[] = [];
      for (const [jobId, reason] of this.#toWrite) {
        if (rows.length === rowsPerStatement) break;
        rows.push({ jobId, reason });
      }
      const written = new Set(await writeWaiting(db, rows));
      for (const { jobId, reason } of rows) {
        this.#toWrite.delete(jobId);
        if (written.has(jobId)) this.#written.set(jobId, reason);
      }
    }
  }

  #want(jobId: string, reason: Reason): void {
    if (same(this.#written.get(jobId), reason)) this.#toWrite.delete(jobId);
    else this.#toWrite.set(jobId, reason);
  }
}

const same = (a: Reason | undefined, b: Reason): boolean => a?.code === b.code && a.detail === b.detail;
