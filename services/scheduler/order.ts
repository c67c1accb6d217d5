/** Who is asked next: (priority descending, submit time, id). */
import { Heap } from './heap.ts';
import type { Bucket, PendingJob } from './model.ts';

type Ordered = Pick<PendingJob, 'submittedAtUs' | 'id'>;

/** Order within a bucket, whose jobs have one priority. */
export function comesFirst(a: Ordered, b: Ordered): boolean {
  return a.submittedAtUs !== b.submittedAtUs ? a.submittedAtUs < b.submittedAtUs : a.id < b.id;
}

/** A bucket and how many of its jobs this round has placed already. */
export interface Turn {
  readonly bucket: Bucket;
  readonly at: number;
}

/** The buckets by their first job that still waits. */
export class Turns {
  readonly #heap: Heap<Turn>;

  constructor(buckets: Iterable<Bucket>) {
    const turns: Turn[] = [];
    for (const bucket of buckets) if (bucket.jobs.length > 0) turns.push({ bucket, at: 0 });
    this.#heap = new Heap(turnComesFirst, turns);
  }

  next(): Turn | undefined { return this.#heap.pop(); }

  /** The job of this turn is placed: the bucket's next one waits for its own turn. */
  placed(turn: Turn): void {
    if (turn.at + 1 < turn.bucket.jobs.length) this.#heap.push({ bucket: turn.bucket, at: turn.at + 1 });
  }
}

function turnComesFirst(a: Turn, b: Turn): boolean {
  if (a.bucket.priority !== b.bucket.priority) return a.bucket.priority > b.bucket.priority;
  return comesFirst(a.bucket.jobs[a.at]!, b.bucket.jobs[b.at]!);
}
