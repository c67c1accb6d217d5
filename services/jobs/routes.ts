/** REST routes of jobs. Logs and checkpoints of a job stand in their own rooms. */
import Type from 'typebox';
import { audit } from '../audit/append.ts';
import { jobKey } from '../events/model.ts';
import { startOperation } from '../operations/start.ts';
import { PreferHeaders, type Waiters } from '../operations/wait.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import { ConditionalHeaders, etagOf, expectedVersion, isUnchanged, notModified, ReadHeaders, requiredVersion, unchanged } from '../platform/etag.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders, keyOf } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { currentTraceParent } from '../platform/tracing.ts';
import { attemptsOf } from './attempts.ts';
import { cancelJob } from './cancel.ts';
import { getJob, requireJob } from './get.ts';
import { listJobs } from './list.ts';
import { lockJob } from './lock.ts';
import { jobStates, jobWorkflowId } from './model.ts';
import { patchJob } from './patch.ts';
import { storedEvents } from './queries.ts';
import { QueueRoom } from './queue-room.ts';
import { retryJob } from './retry.ts';
import { JobSpec, namePattern } from './spec.ts';
import { submitTogether } from './submit-together.ts';
import { batchRoute } from './batch-routes.ts';
import { AttemptView, factsOfNewJob, JobEventView, JobView, toAttemptView, toJobEventView, toJobView } from './view.ts';

export interface JobDeps {
  readonly db: Db;
  readonly waiters: Waiters;
  readonly config: Pick<Config, 'pageSizeMax' | 'idempotencyHours' | 'queuedJobsMaxPerTeam' | 'launchBytesMax' | 'batchBodyBytesMax' | 'lostGraceMs' | 'temporalUiUrl' | 'temporalNamespace'>;
}

const closed = { additionalProperties: false } as const;
export const JobParams = Type.Object({ job: Type.String({ description: 'Id, `job_…`' }) });

const CancelBody = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$', description: 'One sentence for people' })),
  ifVersion: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'Refuse, where the job has another version' })),
}, closed);

const PatchBody = Type.Object({
  labels: Type.Optional(JobSpec.properties.labels),
  priorityClass: Type.Optional(JobSpec.properties.priorityClass),
  timeLimitSeconds: Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 31_536_000, description: 'null: none' })),
}, { ...closed, minProperties: 1 });

const CancelHeaders = Type.Object({ ...IdempotencyHeaders.properties, ...ConditionalHeaders.properties, ...PreferHeaders.properties });
const NoBody = Type.Object({}, closed);
/** Both take a body that may be left out. */
const bodyOrNone = async (request: { body: unknown }): Promise<void> => { request.body ??= {}; };

const filters = {
  state: Type.Optional(Type.Array(Type.Enum([...jobStates]), { maxItems: jobStates.length, description: 'Repeatable: any of these' })),
  team: Type.Optional(Type.String({ pattern: namePattern })),
  name: Type.Optional(Type.String({ pattern: namePattern })),
  label: Type.Optional(Type.Array(Type.String({ maxLength: 400, pattern: '^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}=[^\\u0000-\\u001f\\u007f-\\u009f]*$' }), { maxItems: 32, description: '`key=value`, repeatable: all of these' })),
};

export function jobRoutes(app: Api, deps: JobDeps): void {
  for (const schema of [JobSpecNamed, JobView, AttemptView, JobEventView]) app.addSchema(schema);
  writes(app, deps);
  reads(app, deps);
  histories(app, deps);
}

const JobSpecNamed = { ...JobSpec, $id: 'JobSpec' };
const jobAnswer = refTo(JobView);

function writes(app: Api, { db, config, waiters }: JobDeps): void {
  const limits = { room: new QueueRoom(config.queuedJobsMaxPerTeam), launchBytesMax: config.launchBytesMax };
  const submitOne = submitTogether({ db, limits, config });
  batchRoute(app, { db, limits, config });

  app.post('/v1/jobs', {
    schema: {
      operationId: 'submitJob', summary: 'Submit a job', tags: ['jobs'], headers: IdempotencyHeaders,
      body: Type.Unsafe<JobSpec>({ $ref: 'JobSpec#' }), response: { 201: jobAnswer, ...problems(409, 422, 429) },
    },
    config: { allow: 'jobs:write' },
  }, async (request, reply) => {
    const { view, replayed } = await submitOne({
      submission: { spec: request.body, access: request.access, requestId: request.id, traceParent: currentTraceParent() },
      origin: request, keyed: keyOf(request),
    });
    if (replayed) reply.header('idempotency-replayed', 'true');
    return reply.code(201).header('location', view.links.self).send(view);
  });

  app.post('/v1/jobs/:job/cancel', {
    schema: {
      operationId: 'cancelJob', summary: 'Cancel a job', tags: ['jobs'],
      description: 'A waiting job ends at once; a placed one is told to stop and ends when its processes are gone. Repeating it changes nothing.',
      params: JobParams, headers: CancelHeaders, body: CancelBody, response: { 200: jobAnswer, ...problems(404, 409, 412, 422) },
    },
    preValidation: bodyOrNone,
    config: { allow: 'jobs:write' },
  }, async (request, reply) => {
    await requireJob(db, request.access, request.params.job);
    const { reason } = request.body;
    const ifVersion = request.body.ifVersion === undefined ? expectedVersion(request) : BigInt(request.body.ifVersion);
    const answer = await answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
      const before = await lockJob(tx, request.params.job);
      const job = await cancelJob(tx, request.access.act, {
        jobId: request.params.job, ...(reason ? { reason } : {}), ...(ifVersion === undefined ? {} : { ifVersion }),
      }, config);
      await audit(tx, request, { action: 'job.cancel', target: jobKey(job.id), before, after: job, reason, workflowId: job.epoch === 0n ? undefined : jobWorkflowId(job.id) });
      if (job.state === 'CANCELLING') await startOperation(tx, { kind: 'job.cancel', target: jobKey(job.id), teamId: job.team_id, reason, origin: request });
      return toJobView(await getJob(tx, request.access.see, job.id), config);
    });
    const operation = await waiters.untilOver(request, reply, 'job.cancel', jobKey(request.params.job));
    return operation && operation.state !== 'RUNNING' ? toJobView(await getJob(db, request.access.see, request.params.job), config) : answer;
  });

  app.patch('/v1/jobs/:job', {
    schema: {
      operationId: 'patchJob', summary: 'Change labels, priority or time limit of a job', tags: ['jobs'],
      description: 'Labels at any time; the priority while the job waits; the time limit until its end, but once placed it can only grow. Needs If-Match with the ETag of GET /v1/jobs/{job}.',
      params: JobParams, headers: ConditionalHeaders, body: PatchBody, response: { 200: jobAnswer, ...problems(404, 409, 412, 428) },
    },
    config: { allow: 'jobs:write' },
  }, async (request, reply) => {
    const ifVersion = requiredVersion(request);
    await requireJob(db, request.access, request.params.job);
    const view = await inTransaction(db, async (tx) => {
      const { before, after } = await patchJob(tx, request.access.act, request.params.job, request.body, ifVersion);
      await audit(tx, request, { action: 'job.patch', target: jobKey(after.id), before, after, workflowId: after.epoch === 0n ? undefined : jobWorkflowId(after.id) });
      return toJobView(await getJob(tx, request.access.see, after.id), config);
    });
    return reply.header('etag', etagOf(view.version)).send(view);
  });

  app.post('/v1/jobs/:job/retry', {
    schema: {
      operationId: 'retryJob', summary: 'Submit an ended job again, as a new job', tags: ['jobs'],
      params: JobParams, headers: IdempotencyHeaders, body: NoBody, response: { 201: jobAnswer, ...problems(404, 409, 422, 429) },
    },
    preValidation: bodyOrNone,
    config: { allow: 'jobs:write' },
  }, async (request, reply) => {
    await requireJob(db, request.access, request.params.job);
    const view = await answerOnce(db, request, reply, 201, config.idempotencyHours, async (tx) => {
      const { job, team, retried } = await retryJob(tx, request.params.job, { access: request.access, requestId: request.id, traceParent: currentTraceParent() }, limits);
      await audit(tx, request, { action: 'job.retry', target: jobKey(job.id), before: retried, after: job, reason: `again ${retried.id}` });
      return toJobView(factsOfNewJob(job, team), config);
    });
    reply.header('location', view.links.self);
    return view;
  });
}

function reads(app: Api, { db, config }: JobDeps): void {
  app.get('/v1/jobs', {
    schema: {
      operationId: 'listJobs', summary: 'List jobs, newest first', tags: ['jobs'],
      querystring: Type.Object({ ...filters, ...pageQuery(config.pageSizeMax) }, closed),
      response: { 200: Type.Object({ items: Type.Array(jobAnswer), next_page_token: nextPageToken }), ...problems(404) },
    },
    config: { allow: 'jobs:read' },
  }, async ({ query, access }) => {
    const page = await listJobs(db, access.see, {
      ...(query.state ? { states: query.state } : {}),
      ...(query.team === undefined ? {} : { team: query.team }),
      ...(query.name === undefined ? {} : { name: query.name }),
      ...(query.label ? { labels: query.label } : {}),
      ...(query.page_token === undefined ? {} : { pageToken: query.page_token }),
      pageSize: query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax),
    });
    return { ...page, items: page.items.map((facts) => toJobView(facts, config)) };
  });

  app.get('/v1/jobs/:job', {
    schema: { operationId: 'getJob', summary: 'Read a job', tags: ['jobs'], params: JobParams, headers: ReadHeaders, response: { 200: jobAnswer, ...notModified, ...problems(404) } },
    config: { allow: 'jobs:read' },
  }, async (request, reply) => {
    const view = toJobView(await getJob(db, request.access.see, request.params.job), config);
    return isUnchanged(request, reply, view.version) ? unchanged(reply as never) as never : view;
  });
}

function histories(app: Api, { db, config }: JobDeps): void {
  const page = Type.Object(pageQuery(config.pageSizeMax), closed);
  const sizeOf = (query: { page_size?: number }): number => query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);

  app.get('/v1/jobs/:job/attempts', {
    schema: {
      operationId: 'listAttempts', summary: 'Attempts of a job with their members, newest first', tags: ['jobs'],
      params: JobParams, querystring: page,
      response: { 200: Type.Object({ items: Type.Array(refTo(AttemptView)), next_page_token: nextPageToken }), ...problems(404) },
    },
    config: { allow: 'jobs:read' },
  }, async ({ params, query, access }) => {
    const found = await attemptsOf(db, access, params.job, sizeOf(query), query.page_token);
    return { ...found, items: found.items.map(toAttemptView) };
  });

  app.get('/v1/jobs/:job/events', {
    schema: {
      operationId: 'listJobEvents', summary: 'Stored events of a job, in their order', tags: ['jobs', 'events'],
      params: JobParams, querystring: page,
      response: { 200: Type.Object({ items: Type.Array(refTo(JobEventView)), next_page_token: nextPageToken }), ...problems(404) },
    },
    config: { allow: 'jobs:read' },
  }, async ({ params, query, access }) => {
    await requireJob(db, access, params.job);
    const filter = { eventsOf: params.job };
    const size = sizeOf(query);
    const after = pageKey(query.page_token, filter, [/^[0-9]{1,18}$/])?.[0] ?? '0';
    const events = await storedEvents(db, jobKey(params.job), BigInt(after), size + 1);
    return toPage(events, size, toJobEventView, (last) => pageToken([last.pos.toString()], filter));
  });
}
