/** Many jobs in one request, each with its own verdict. */
import { audit, type Origin } from '../audit/append.ts';
import { inTransaction, type Tx } from '../platform/db.ts';
import { Problem } from '../platform/errors.ts';
import { storeAnswer, storedAnswer, type KeyedRequest } from '../platform/idempotency.ts';
import { submitJobs, type Submission } from './submit.ts';
import type { SubmitDeps } from './submit-together.ts';

/** What one request may hold. */
export const batchJobsMax = 1_000;
/** Jobs of one transaction: well below a tenth of a second, so that locks on keys and the queue stay short. */
const chunkJobs = 500;

/** As it is stored with the key and answered. */
export interface BatchItem { readonly status: number; readonly id: string | null; readonly problem: unknown }

export interface BatchRequest {
  /** each to be submitted, or already refused by its form */
  readonly submissions: readonly (Submission | Problem)[];
  readonly origin: Origin;
  readonly keyed: KeyedRequest | undefined;
  /** a problem as the caller is to see it */
  readonly shape: (problem: Problem) => unknown;
}

/**
 * Submits in transactions of at most 500 jobs. Each chunk stores its answer under the request's key: a repetition
 * replays the chunks that were committed and does the others, so a crash in between loses and doubles nothing.
 *
 * @returns an item for each, in their order; replayed: every chunk was
 * @throws `idempotency_in_flight` 409 · `idempotency_reused` 422
 */
export async function submitBatch(deps: SubmitDeps, request: BatchRequest): Promise<{ readonly items: BatchItem[]; readonly replayed: boolean }> {
  const items: BatchItem[] = [];
  let replayed = true;
  for (let from = 0; from < request.submissions.length; from += chunkJobs) {
    const chunk = await inTransaction(deps.db, async (tx) => {
      // A key has no space in it, so no caller can name a chunk.
      const keyed = request.keyed && { ...request.keyed, key: `${request.keyed.key} ${from / chunkJobs}` };
      const stored = keyed && await storedAnswer(tx, keyed, deps.config.idempotencyHours);
      if (stored) return { items: stored.body as BatchItem[], replayed: true };
      const fresh = await submitChunk(tx, deps, request, request.submissions.slice(from, from + chunkJobs));
      if (keyed) await storeAnswer(tx, keyed, { status: 200, body: fresh });
      return { items: fresh, replayed: false };
    });
    items.push(...chunk.items);
    replayed &&= chunk.replayed;
  }
  return { items, replayed };
}

async function submitChunk(tx: Tx, { limits }: SubmitDeps, { origin, shape }: BatchRequest, chunk: readonly (Submission | Problem)[]): Promise<BatchItem[]> {
  const verdicts = (await submitJobs(tx, chunk.filter((one): one is Submission => !(one instanceof Problem)), limits)).values();
  const items = chunk.map((one): BatchItem => {
    const verdict = one instanceof Problem ? one : verdicts.next().value;
    if (verdict === undefined || verdict instanceof Problem) return { status: verdict?.status ?? 500, id: null, problem: verdict && shape(verdict) };
    return { status: 201, id: verdict.job.id, problem: null };
  });
  const ids = items.flatMap(({ id }) => id ?? []);
  // One entry a chunk; each job's row names the request too.
  await audit(tx, origin, { action: 'job.submit-batch', target: `request/${origin.id}`, after: ids, reason: `${ids.length} of ${chunk.length} jobs accepted` });
  return items;
}
