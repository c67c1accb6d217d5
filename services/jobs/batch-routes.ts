/** `POST /v1/jobs:batch`. */
import Type from 'typebox';
import type { Config } from '../platform/config.ts';
import type { Problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { problemBody, ProblemView, toProblem } from '../platform/http-problems.ts';
import { validatorFor } from '../platform/http-validation.ts';
import { IdempotencyHeaders, keyOf } from '../platform/idempotency.ts';
import { currentTraceParent } from '../platform/tracing.ts';
import { batchJobsMax, submitBatch } from './batch.ts';
import { JobSpec } from './spec.ts';
import type { Submission } from './submit.ts';
import type { SubmitDeps } from './submit-together.ts';

type BatchDeps = SubmitDeps & { readonly config: Pick<Config, 'batchBodyBytesMax'> };

const closed = { additionalProperties: false } as const;
const jobsOf = (item: ReturnType<typeof Type.Unsafe<JobSpec>>) => Type.Object({ jobs: Type.Array(item, { minItems: 1, maxItems: batchJobsMax }) }, closed);
const BatchBody = jobsOf(Type.Unsafe<JobSpec>({ $ref: 'JobSpec#' }));
/** The envelope alone: a job that doesn't fit is a verdict, not a refusal of its neighbours. */
const Envelope = jobsOf(Type.Unsafe<JobSpec>({}));

const BatchView = Type.Object({
  accepted: Type.Integer(),
  refused: Type.Integer(),
  items: Type.Array(Type.Object({
    status: Type.Integer({ description: 'As POST /v1/jobs would have answered' }),
    id: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Of the job; null where it is refused' }),
    problem: Type.Union([refTo(ProblemView), Type.Null()]),
  }), { description: 'One a job, in their order' }),
}, { $id: 'Batch' });

export function batchRoute(app: Api, deps: BatchDeps): void {
  app.addSchema(BatchView);
  const compile = validatorFor({ JobSpec: { ...JobSpec, $id: 'JobSpec' } });
  const validate = compile({ schema: { $ref: 'JobSpec#' }, httpPart: 'body', method: 'POST', url: '' } as never);

  // A double colon is a colon: the path is /v1/jobs:batch.
  app.post('/v1/jobs::batch', {
    schema: {
      operationId: 'submitJobs', summary: 'Submit many jobs', tags: ['jobs'],
      description: `At most ${batchJobsMax} jobs, each with its own verdict: a refused one leaves the others alone. With an Idempotency-Key a repetition gets the same verdicts and the same ids.`,
      headers: IdempotencyHeaders, body: BatchBody, response: { 200: refTo(BatchView), ...problems(409, 422) },
    },
    bodyLimit: deps.config.batchBodyBytesMax,
    validatorCompiler: (part) => compile(part.httpPart === 'body' ? { ...part, schema: Envelope } as never : part as never),
    config: { allow: 'jobs:write' },
  }, async (request, reply) => {
    const { access, id: requestId } = request;
    const traceParent = currentTraceParent();
    const submissions = request.body.jobs.map((spec): Submission | Problem => {
      const { error } = validate(spec) as { error?: Error };
      return error ? toProblem(error, deps.config.batchBodyBytesMax) : { spec, access, requestId, traceParent };
    });
    const { items, replayed } = await submitBatch(deps, { submissions, origin: request, keyed: keyOf(request), shape: (problem) => problemBody(problem, requestId) });
    if (replayed) reply.header('idempotency-replayed', 'true');
    const accepted = items.filter(({ id }) => id !== null).length;
    return { accepted, refused: items.length - accepted, items } as never;
  });
}
