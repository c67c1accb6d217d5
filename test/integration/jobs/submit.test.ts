import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld({ MUSTER_QUEUED_JOBS_MAX_PER_TEAM: '3' }); });
afterAll(() => api.close());

it('a submitted job waits with its defaults, and its event stands in the same commit', async () => {
  const answer = await api.post('/v1/jobs', { ...smallJob, members: 4, devicesPerMember: 8, labels: { run: '7' } });
  expect(answer.status).toBe(201);
  expect(answer.headers['location']).toBe(`/v1/jobs/${answer.body.id}`);
  expect(answer.body).toMatchObject({
    state: 'QUEUED', version: '1', epoch: '0', team: 'default', attempts: 0, checkpoint: null, progress: null, retryOf: null,
    members: { total: 4, accepted: 0, ready: 0, gone: 0 },
    budgets: { userFailures: { used: 0, max: 0 }, infrastructureFailures: { used: 0, max: 10 } },
    spec: { priorityClass: 'normal', preemptible: false, readiness: 'start', checkpoint: { graceSeconds: 30 } },
  });
  expect((await api.get(`/v1/jobs/${answer.body.id}`)).body).toMatchObject({ id: answer.body.id, state: 'QUEUED' });
  const [event, ...others] = await api.db.selectFrom('outbox').selectAll().where('key', '=', `job/${answer.body.id}`).execute();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ kind: 'job.submitted', version: 1n, payload: { job: answer.body.id, state: 'QUEUED', epoch: '0' } });
});

it('the text of arguments and environment comes back as it was', async () => {
  await api.post('/v1/teams', { name: 'text' });
  const argv = ['echo', 'ünï¢ødé 🚀', 'a\nb\tc', '$(rm -rf /)', '"quoted"', '\\'];
  const answer = await api.post('/v1/jobs', { ...smallJob, team: 'text', argv, env: { TEXT: 'ä\u0001' } });
  expect((await api.get(`/v1/jobs/${answer.body.id}`)).body.spec).toMatchObject({ argv, env: { TEXT: 'ä\u0001' } });
});

it('a full queue refuses with its limit, and takes again when one has left; other teams are not concerned', async () => {
  await api.post('/v1/teams', { name: 'full' });
  const submit = () => api.post('/v1/jobs', { ...smallJob, team: 'full' });
  const accepted = [await submit(), await submit(), await submit()];
  expect(accepted.map((answer) => answer.status)).toEqual([201, 201, 201]);
  expect((await submit()).body).toMatchObject({ status: 429, code: 'queue_full', retryable: true, context: { limit: 3, waiting: 3 } });
  expect((await api.post('/v1/jobs', { ...smallJob, team: 'text' })).status).toBe(201);
  await api.post(`/v1/jobs/${accepted[0]?.body.id}/cancel`);
  await vi.waitFor(async () => expect((await submit()).status).toBe(201), { timeout: 5_000 });
});

it('a job says why it waits, and for how long', async () => {
  await api.post('/v1/teams', { name: 'waiting' });
  const { id } = (await api.post('/v1/jobs', { ...smallJob, team: 'waiting' })).body;
  await api.db.updateTable('job').set({ waiting_reason: 'no_such_device_model', waiting_detail: 'None of 4 matching nodes has a healthy H900.', waiting_since: new Date(Date.now() - 60_000) }).where('id', '=', id).execute();
  const { body } = await api.get(`/v1/jobs/${id}`);
  expect(body.waiting).toMatchObject({ code: 'no_such_device_model', detail: 'None of 4 matching nodes has a healthy H900.' });
  expect(body.waiting.ageMs).toBeGreaterThan(50_000);
  expect(body.reason).toBe('None of 4 matching nodes has a healthy H900.');
});

it('arguments and environment that are too large together are refused with their size and the limit', async () => {
  const env = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`BIG_${index}`, 'x'.repeat(32_000)]));
  const answer = await api.post('/v1/jobs', { ...smallJob, env });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', context: { limit: 262_144 }, errors: [{ pointer: '/env' }] } });
});
