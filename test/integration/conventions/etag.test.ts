import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openApiWorld, smallJob, type Answer, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet, placeJob } from '#test/workflow/jobs/fleet.ts';

let api: ApiWorld;
let job: string;
beforeAll(async () => {
  api = await openApiWorld();
  await insertFleet(api.db);
});
beforeEach(async () => { job = (await api.post('/v1/jobs', { ...smallJob, timeLimitSeconds: 100 })).body.id; });
afterAll(() => api.close());

const tagOf = async (): Promise<string> => String((await api.get(`/v1/jobs/${job}`)).headers['etag']);
const patch = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  api.raw({ method: 'PATCH', url: `/v1/jobs/${job}`, headers: { authorization: `Bearer ${api.key}`, ...headers }, payload: body });
const patchNow = async (body: object): Promise<Answer> => patch(body, { 'if-match': await tagOf() });

describe('SV26 conditional requests', () => {
  it('a change without If-Match is told to send one; an old one is refused and changes nothing', async () => {
    expect((await patch({ labels: { a: 'b' } })).body).toMatchObject({ status: 428, code: 'precondition_required' });
    for (const tag of ['"99"', 'W/"1"', '1', 'nonsense']) expect((await patch({ labels: { a: 'b' } }, { 'if-match': tag })).body, tag).toMatchObject({ status: 412, code: 'version_mismatch' });
    expect((await api.get(`/v1/jobs/${job}`)).body.spec.labels).toEqual({});
    const changed = await patchNow({ labels: { a: 'b' } });
    expect([changed.status, changed.headers['etag'], changed.body.spec.labels]).toEqual([200, '"2"', { a: 'b' }]);
    expect((await patch({ labels: {} }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await patch({ labels: {} }, { 'if-match': '*' })).status).toBe(200);
  });

  it.each([['the tag', (tag: string) => tag], ['a list', (tag: string) => `"0", ${tag}`], ['a weakened one', (tag: string) => `W/${tag}`], ['any', () => '*']])(
    'a GET that has this version gets 304 and no body: %s', async (_name, known) => {
      for (const url of [`/v1/jobs/${job}`, '/v1/nodes/node-1']) {
        const tag = String((await api.get(url)).headers['etag']);
        const answer = await api.get(url, { 'if-none-match': known(tag) });
        expect([answer.status, answer.body, answer.headers['etag']]).toEqual([304, '', tag]);
        expect((await api.get(url, { 'if-none-match': '"0"' })).status).toBe(200);
      }
    });

  it('verbs take If-Match too', async () => {
    expect((await api.post(`/v1/jobs/${job}/cancel`, {}, { 'if-match': '"9"' })).body.code).toBe('version_mismatch');
    expect((await api.post('/v1/nodes/node-1/cordon', { reason: 'x' }, { 'if-match': '"99"' })).body.code).toBe('version_mismatch');
    expect((await api.post(`/v1/jobs/${job}/cancel`, {}, { 'if-match': await tagOf() })).body.state).toBe('CANCELLED');
  });
});

describe('PATCH /v1/jobs/{job}', () => {
  it('changes what a waiting job is sorted by, and tells it', async () => {
    expect((await patchNow({ priorityClass: 'high', timeLimitSeconds: 50 })).body.spec).toMatchObject({ priorityClass: 'high', timeLimitSeconds: 50 });
    const row = await api.db.selectFrom('job').select('priority').where('id', '=', job).executeTakeFirstOrThrow();
    expect(row.priority).toBe(900);
    const events = await api.db.selectFrom('outbox').select(['kind', 'version']).where('key', '=', `job/${job}`).orderBy('id').execute();
    expect(events).toEqual([{ kind: 'job.submitted', version: 1n }, { kind: 'job.changed', version: 2n }]);
    expect((await patchNow({ timeLimitSeconds: null })).body.spec).not.toHaveProperty('timeLimitSeconds');
  });

  it('a placed job keeps its priority, and its time limit only grows', async () => {
    await placeJob(api.db, job);
    expect((await patchNow({ priorityClass: 'high' })).body).toMatchObject({ status: 409, code: 'job_not_waiting' });
    expect((await patchNow({ timeLimitSeconds: 99 })).body).toMatchObject({ status: 409, code: 'time_limit_shortened' });
    expect((await patchNow({ timeLimitSeconds: 101, labels: { a: 'b' } })).body.spec).toMatchObject({ timeLimitSeconds: 101, labels: { a: 'b' } });
    expect((await patchNow({ timeLimitSeconds: null })).status).toBe(200);
    expect((await patchNow({ timeLimitSeconds: 1_000 })).body.code).toBe('time_limit_shortened');
  });

  it('an ended job keeps its limit and takes labels', async () => {
    await api.post(`/v1/jobs/${job}/cancel`);
    expect((await patchNow({ timeLimitSeconds: 1_000 })).body.code).toBe('job_ended');
    expect((await patchNow({ labels: { reviewed: 'yes' } })).status).toBe(200);
  });

  it.each([{}, { members: 3 }, { priorityClass: 'urgent' }, { timeLimitSeconds: 0 }, { labels: { '/': 'x' } }])('refuses %j', async (body) => {
    expect((await patchNow(body)).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});
