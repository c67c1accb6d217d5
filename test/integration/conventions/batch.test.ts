import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '#services/platform/db.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld({ MUSTER_QUEUED_JOBS_MAX_PER_TEAM: '3000' }); });
afterAll(() => api.close());

interface Item { readonly status: number; readonly id: string | null; readonly problem: { code: string; errors: { pointer: string }[] } | null }
const batch = (jobs: readonly unknown[], headers: Record<string, string> = {}) => api.post('/v1/jobs:batch', { jobs }, headers);
const named = (name: string, count: number) => Array.from({ length: count }, () => ({ ...smallJob, name }));
const jobsNamed = (name: string) => api.db.selectFrom('job').selectAll().where('name', '=', name).orderBy('submitted_at').orderBy('id').execute();

describe('POST /v1/jobs:batch', () => {
  it('gives each job its own verdict, as it would have been answered alone', async () => {
    const answer = await batch([smallJob, { ...smallJob, members: 0 }, { ...smallJob, team: 'nobody' }, { ...smallJob, gpus: 1 }, 7, { ...smallJob, name: 'last' }]);
    const items = answer.body.items as Item[];
    expect(answer.body).toMatchObject({ accepted: 2, refused: 4 });
    expect(items.map(({ status }) => status)).toEqual([201, 400, 400, 400, 400, 201]);
    expect(items.map(({ problem }) => problem?.errors[0]?.pointer)).toEqual([undefined, '/members', '/team', '/gpus', '', undefined]);
    expect((await api.get(`/v1/jobs/${items[5]?.id}`)).body).toMatchObject({ name: 'last', state: 'QUEUED', version: '1' });
  });

  it('puts a thousand into the queue in their order, with an event each', async () => {
    const answer = await batch(named('thousand', 1_000), { 'x-request-id': 'thousand' });
    expect(answer.body.accepted).toBe(1_000);
    const rows = await jobsNamed('thousand');
    expect(rows.map(({ id }) => id)).toEqual((answer.body.items as Item[]).map(({ id }) => id));
    expect(new Set(rows.map(({ request_id }) => request_id))).toEqual(new Set(['thousand']));
    const events = await api.db.selectFrom('outbox').select('key').where('kind', '=', 'job.submitted').orderBy('id').execute();
    expect(events.map(({ key }) => key).slice(-1_000)).toEqual(rows.map(({ id }) => `job/${id}`));
    const { rows: [entries] } = { rows: await api.db.selectFrom('audit').select(({ fn }) => fn.countAll<bigint>().as('n')).where('request_id', '=', 'thousand').execute() };
    expect(entries?.n).toBe(2n);
  });

  it('with a key, told twice, is one batch with the same verdicts and ids', async () => {
    const jobs = [...named('keyed', 600), { ...smallJob, team: 'nobody' }];
    const first = await batch(jobs, { 'idempotency-key': 'batch-1' });
    const second = await batch(jobs, { 'idempotency-key': 'batch-1' });
    expect(second.body).toEqual(first.body);
    expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
    expect(await jobsNamed('keyed')).toHaveLength(600);
    expect((await batch(named('keyed', 1), { 'idempotency-key': 'batch-1' })).body.code).toBe('idempotency_reused');
  });

  it('a crash between its chunks: the repetition replays the first and does the rest', async () => {
    const jobs = named('half', 700);
    const first = await batch(jobs, { 'idempotency-key': 'half' });
    // As if the process had died before the second chunk was committed.
    await inTransaction(api.db, async (tx) => {
      await tx.deleteFrom('idempotency_key').where('key', '=', 'half 1').execute();
      await tx.deleteFrom('job').where('id', 'in', (first.body.items as Item[]).slice(500).map(({ id }) => id ?? '')).execute();
    });
    const second = await batch(jobs, { 'idempotency-key': 'half' });
    expect(second.headers['idempotency-replayed']).toBeUndefined();
    expect((second.body.items as Item[]).slice(0, 500)).toEqual((first.body.items as Item[]).slice(0, 500));
    expect(await jobsNamed('half')).toHaveLength(700);
  });

  it('a key of a chunk can not be named by a caller', async () => {
    expect((await api.post('/v1/jobs', smallJob, { 'idempotency-key': 'half 1' })).status).toBe(400);
  });

  it.each([['no job', { jobs: [] }, '/jobs'], ['1,001 jobs', { jobs: named('x', 1_001) }, '/jobs'], ['no list', { jobs: {} }, '/jobs'], ['another field', { jobs: [smallJob], x: 1 }, '/x']])(
    'refuses %s', async (_name, body, pointer) => {
      const answer = await api.post('/v1/jobs:batch', body);
      expect(answer.body).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer }] });
    });

  it('a full queue refuses those beyond its end', async () => {
    const waiting = (await api.db.selectFrom('job').select('id').where('state', '=', 'QUEUED').execute()).length;
    const answers = [await batch(named('filling', 1_000)), await batch(named('filling', 1_000))];
    const accepted = answers.reduce((sum, answer) => sum + answer.body.accepted, 0);
    expect(waiting + accepted).toBe(3_000);
    expect(answers.flatMap((answer) => answer.body.items as Item[]).find(({ status }) => status !== 201)).toMatchObject({ status: 429, problem: { code: 'queue_full' } });
  });
});

describe('submissions at the same time', () => {
  it('are committed together, and each gets its own answer', async () => {
    await api.db.deleteFrom('job').execute();
    await new Promise((resolve) => { setTimeout(resolve, 150); }); // a full queue is counted again after 100 ms
    const answers = await Promise.all(Array.from({ length: 120 }, (_, n) => api.post('/v1/jobs',
      n % 3 === 0 ? { ...smallJob, team: 'nobody' } : { ...smallJob, name: `together-${n}` }, n % 3 === 1 ? { 'idempotency-key': `together-${n}` } : {})));
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => (n % 3 === 0 ? 400 : 201)));
    expect(answers.map(({ body }) => body.name)).toEqual(answers.map((_, n) => (n % 3 === 0 ? undefined : `together-${n}`)));
    const shared = await api.db.selectFrom('job').select((row) => row.fn.count<bigint>('id').distinct().as('jobs')).executeTakeFirstOrThrow();
    expect(shared.jobs).toBe(80n);
  });
});
