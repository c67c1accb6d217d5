/** From a request to the activities that it leads to: trace, request id, and links both ways. */
import { InMemorySpanExporter, SimpleSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPlacementFacts } from '#services/jobs/placement-facts.ts';
import { submittedBy } from '#services/jobs/submitted-by.ts';
import type { Api } from '#services/platform/http.ts';
import { contextOf, currentTraceParent } from '#services/platform/tracing.ts';
import { startTracing, traceTo, type Tracing } from '#services/platform/tracing-sdk.ts';
import { createApi } from '#services/roles/api.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { until, World } from '../../workflow/jobs/world.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const memory = new InMemorySpanExporter();

let world: World;
let api: Api;
let key: string;
let tracing: Tracing | undefined;

beforeAll(async () => {
  world = await World.open();
  api = await createApi({ db: world.db, config: world.config, log: world.log, bus: () => undefined });
  key = await createApiKey(world.db, { name: 'traced', scopes: ['*'] });
});
afterAll(async () => {
  await tracing?.close();
  await api?.close();
  await world?.close();
});

async function submit(headers: Record<string, string> = {}): Promise<string> {
  const answer = await api.inject({ method: 'POST', url: '/v1/jobs', payload: { name: 'traced', argv: ['true'] }, headers: { authorization: `Bearer ${key}`, ...headers } });
  expect(answer.statusCode).toBe(201);
  return (answer.json() as { id: string }).id;
}

const spansOf = (id: string): ReadableSpan[] => memory.getFinishedSpans().filter((span) => span.spanContext().traceId === id);

describe('tracing', () => {
  it('is off by default: no span, and nothing in the row', async () => {
    expect(await startTracing(world.config, world.log, 'test')).toBeUndefined();
    expect((await submittedBy(world.db, await submit({ traceparent })))?.traceParent).toBeNull();
  });

  it("carries a caller's trace from the API through the row to the activities of the job's run (ST9: not through the workflow)", { timeout: 60_000 }, async () => {
    tracing = await traceTo(new SimpleSpanProcessor({ exporter: memory }), 'test');
    const job = await submit({ traceparent, 'x-request-id': 'traced-1' });
    const request = spansOf(traceId).find((span) => span.name === 'POST /v1/jobs');
    expect(request?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(request?.attributes).toMatchObject({ 'http.route': '/v1/jobs', 'http.response.status_code': 201, 'muster.request': 'traced-1' });
    expect((await submittedBy(world.db, job))?.traceParent).toBe(`00-${traceId}-${request?.spanContext().spanId}-01`);

    await world.place(job);
    await world.supervised(job);
    const isActivity = (span: ReadableSpan): boolean => span.name === 'activity readSupervision' && span.attributes['muster.job'] === job;
    await until(async () => spansOf(traceId).some(isActivity), 'the span of an activity');
    const activity = spansOf(traceId).find(isActivity);
    expect(activity?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(activity?.attributes['muster.workflow']).toBe(`job/${job}`);
  });

  it('begins a trace of its own where the caller has none, and never takes a malformed one', async () => {
    const own = (await submittedBy(world.db, await submit()))?.traceParent;
    expect(own).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(own).not.toContain(traceId);
    for (const bad of ['', 'x', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${traceparent}-more`, `00-${traceId}-XYZ-01`]) expect(contextOf(bad)).toBe(ROOT_CONTEXT);
    expect(currentTraceParent()).toBeNull();
  });
});

describe('the way back from a run', () => {
  it('its details and memo name the job, its address in the API and the request that submitted it', { timeout: 60_000 }, async () => {
    world.loses = () => true; // started by hand below, as the dispatcher does
    const job = await submit({ 'x-request-id': 'asked-1' });
    await world.place(job);
    const facts = await readPlacementFacts(world.db, job);
    const { epoch, version, state } = await world.row(job);
    await world.supervisor.start(job, { ...facts!, epoch: epoch.toString(), version: version.toString(), state });
    const run = await world.describe(job);
    const url = `${world.config.apiUrl}/v1/jobs/${job}`;
    expect(run.memo).toEqual({ job: url, request: 'asked-1' });
    expect(await run.staticDetails()).toContain(`[${job}](${url})`);
    expect(await run.staticDetails()).toContain('asked-1');
    await until(async () => (await world.details(job)).includes(`GET /v1/jobs/${job}`), 'the current details to name the job');
  });

  it('its events name the request too', async () => {
    const job = await submit({ 'x-request-id': 'asked-2' });
    const events = await world.db.selectFrom('outbox').select('payload').where('key', '=', `job/${job}`).execute();
    expect(events.map(({ payload }) => (payload as { request: string }).request)).toEqual(['asked-2']);
  });
});
