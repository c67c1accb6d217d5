/**
 * Single submissions that arrive at the same time are committed together: one transaction for up to two hundred requests,
 * each with its own key, verdict and answer. A commit a request would take as many flushes and ten times the statements.
 */
import { auditAll, type Origin } from '../audit/append.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { Problem } from '../platform/errors.ts';
import { gather } from '../platform/gather.ts';
import { isAway } from '../platform/http-problems.ts';
import { storeAnswers, storedAnswers, type KeyedRequest } from '../platform/idempotency.ts';
import { jobKey } from '../events/model.ts';
import { submitJobs, type Submission, type SubmitLimits } from './submit.ts';
import { factsOfNewJob, toJobView, type JobView, type ViewConfig } from './view.ts';

export interface SubmitRequest {
  readonly submission: Submission;
  readonly origin: Origin;
  readonly keyed: KeyedRequest | undefined;
}

export interface SubmitAnswer { readonly view: JobView; readonly replayed: boolean }

export interface SubmitDeps {
  readonly db: Db;
  readonly limits: SubmitLimits;
  readonly config: ViewConfig & { readonly idempotencyHours: number };
}

/** While one commits the next is on its way; a third would only wait for the same disk. */
const lanesMax = 2;
/** A transaction of some twenty milliseconds. */
const itemsMax = 200;

/** @returns a function that answers a request, or throws what `submitJob` and the idempotency key refuse with */
export function submitTogether(deps: SubmitDeps): (request: SubmitRequest) => Promise<SubmitAnswer> {
  const submit = gather<SubmitRequest, SubmitAnswer | Error>({ lanesMax, itemsMax }, (requests) => commitOrEachAlone(deps, requests));
  return async (request) => {
    const answer = await submit(request);
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

/** What the database refuses rolls back all: then each is tried alone, so that one request can't fail its neighbours. */
async function commitOrEachAlone(deps: SubmitDeps, requests: readonly SubmitRequest[]): Promise<(SubmitAnswer | Error)[]> {
  try {
    return await inTransaction(deps.db, (tx) => commit(tx, deps, requests));
  } catch (error) {
    if (requests.length === 1 || isAway(error)) throw error;
    const answers: (SubmitAnswer | Error)[] = [];
    for (const request of requests) {
      answers.push(await commitOrEachAlone(deps, [request]).then(([answer]) => answer as SubmitAnswer | Error, (alone: unknown) => alone as Error));
    }
    return answers;
  }
}

async function commit(tx: Tx, { limits, config }: SubmitDeps, requests: readonly SubmitRequest[]): Promise<(SubmitAnswer | Error)[]> {
  const stored = await storedAnswers(tx, requests.map(({ keyed }) => keyed), config.idempotencyHours);
  const fresh = requests.filter((_request, index) => stored[index] === undefined);
  const verdicts = await submitJobs(tx, fresh.map(({ submission }) => submission), limits);
  const accepted = fresh.flatMap((request, index) => {
    const verdict = verdicts[index];
    return verdict === undefined || verdict instanceof Problem ? [] : [{ request, job: verdict.job, view: toJobView(factsOfNewJob(verdict.job, verdict.team), config) }];
  });
  await storeAnswers(tx, accepted.flatMap(({ request: { keyed }, view }) => (keyed ? [{ keyed, answer: { status: 201, body: view } }] : [])));
  await auditAll(tx, accepted.map(({ request: { origin }, job }) => ({ origin, action: 'job.submit', target: jobKey(job.id), after: job })));
  const views = new Map(accepted.map(({ request, view }) => [request, view]));
  const verdictOf = new Map(fresh.map((request, index) => [request, verdicts[index]]));
  return requests.map((request, index): SubmitAnswer | Error => {
    const earlier = stored[index];
    if (earlier instanceof Problem) return earlier;
    if (earlier) return { view: earlier.body as JobView, replayed: true };
    const view = views.get(request);
    return view ? { view, replayed: false } : verdictOf.get(request) as Problem;
  });
}
