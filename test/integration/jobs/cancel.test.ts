import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { sequenceOnce } from '#services/events/sequence.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet, insertJob, placeJob, report } from '#test/workflow/jobs/fleet.ts';

let api: ApiWorld;
beforeAll(async () => {
  api = await openApiWorld();
  await insertFleet(api.db);
});
afterAll(() => api.close());

const submit = async (): Promise<string> => (await api.post('/v1/jobs', smallJob)).body.id as string;
const cancel = (id: string, body?: object) => api.post(`/v1/jobs/${id}/cancel`, body);

it('a waiting job ends at once, and once', async () => {
  const id = await submit();
  const first = await cancel(id, { reason: 'wrong data' });
  expect(first.body).toMatchObject({ state: 'CANCELLED', version: '2', reason: 'wrong data' });
  expect(first.body.endedAt).not.toBeNull();
  const second = await cancel(id);
  expect(second.status).toBe(200);
  expect(second.body).toMatchObject({ state: 'CANCELLED', version: '2', reason: 'wrong data' });
});

it('another version is refused', async () => {
  const id = await submit();
  expect((await cancel(id, { ifVersion: '7' })).body).toMatchObject({ status: 412, code: 'version_mismatch', context: { expected: '7', current: '1' } });
  expect((await cancel(id, { ifVersion: '1' })).body.state).toBe('CANCELLED');
});

it.each([['control characters', { reason: 'a\u001b' }, '/reason'], ['201 characters', { reason: 'x'.repeat(201) }, '/reason'], ['an unknown field', { why: 'x' }, '/why'], ['a number as version', { ifVersion: 1 }, '/ifVersion']])('refuses %s', async (_name, body, pointer) => {
  expect((await cancel(await submit(), body)).body).toMatchObject({ status: 400, errors: [{ pointer }] });
});

it('an ended job can not be cancelled, but retried as a new job', async () => {
  const id = await submit();
  expect((await api.post(`/v1/jobs/${id}/retry`)).body).toMatchObject({ status: 409, code: 'job_not_ended' });
  await api.db.updateTable('job').set({ state: 'SUCCEEDED', ended_at: new Date() }).where('id', '=', id).execute();
  expect((await cancel(id)).body).toMatchObject({ status: 409, code: 'job_ended', context: { state: 'SUCCEEDED' } });
  const retried = await api.post(`/v1/jobs/${id}/retry`);
  expect(retried.status).toBe(201);
  expect(retried.body).toMatchObject({ retryOf: id, state: 'QUEUED', attempts: 0, name: smallJob.name });
});

let gang: string;
beforeEach(async () => { gang = await insertJob(api.db, { members: 4, devicesPerMember: 0, checkpoint: { graceSeconds: 7 } }); });

it('a placed job is told to stop and keeps its place until its processes are gone', async () => {
  await placeJob(api.db, gang);
  await report(api.db, api.config, gang, { state: 'accepted' });
  await report(api.db, api.config, gang, { state: 'ready' }, [0, 1]);
  expect((await api.get(`/v1/jobs/${gang}`)).body).toMatchObject({ state: 'STARTING', members: { total: 4, accepted: 4, ready: 2 }, reason: '2 of 4 members are ready.' });

  const answer = await cancel(gang, { reason: 'enough' });
  expect(answer.body).toMatchObject({ state: 'CANCELLING', attempts: 1 });
  expect(answer.body.links.workflow).toContain(encodeURIComponent(`job/${gang}`));
  const members = await api.db.selectFrom('member').selectAll().where('job_id', '=', gang).execute();
  expect(members.map((member) => [member.desired, member.stop_reason, member.stop_grace_ms])).toEqual(Array.from({ length: 4 }, () => ['stop', 'cancel', 7_000]));
  expect((await cancel(gang)).body).toMatchObject({ state: 'CANCELLING', version: answer.body.version });

  await report(api.db, api.config, gang, { state: 'exited', exitCode: null, signal: 'SIGTERM' }, [3]);
  const { body } = await api.get(`/v1/jobs/${gang}/attempts`);
  expect(body.items).toHaveLength(1);
  expect(body.items[0].members.map((member: { state: string; signal: string | null }) => [member.state, member.signal])).toEqual([['stopping', null], ['stopping', null], ['stopping', null], ['exited', 'SIGTERM']]);
  expect(body.items[0].members[3]).toMatchObject({ rank: 3, node: 'node-4', exitCode: null });
});

it('a failed job says which member failed first, where and how', async () => {
  await placeJob(api.db, gang);
  await report(api.db, api.config, gang, { state: 'exited', exitCode: 3 }, [2]);
  await report(api.db, api.config, gang, { state: 'exited', exitCode: null, signal: 'SIGKILL' }, [0]);
  await api.db.updateTable('job').set({ state: 'FAILED', vacate_reason: 'memberFailed', ended_at: new Date(), version: 9n }).where('id', '=', gang).execute();
  expect((await api.get(`/v1/jobs/${gang}`)).body.reason).toBe('Failed because a member failed. Rank 2 on node-3 exited with 3.');
});

it('cancels of twenty callers at once are one order', async () => {
  await placeJob(api.db, gang);
  const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(gang)));
  expect(answers.map((answer) => [answer.status, answer.body.state])).toEqual(Array.from({ length: 20 }, () => [200, 'CANCELLING']));
  expect(new Set(answers.map((answer) => answer.body.version)).size).toBe(1);
});

it('the events of a job come in their order, page by page', async () => {
  await placeJob(api.db, gang);
  await report(api.db, api.config, gang, { state: 'accepted' });
  await cancel(gang);
  await sequenceOnce(api.db);
  const kinds: string[] = [];
  const versions: number[] = [];
  for (let token: string | null = ''; token !== null;) {
    const { body } = await api.get(`/v1/jobs/${gang}/events?page_size=1${token === '' ? '' : `&page_token=${token}`}`);
    for (const event of body.items) {
      kinds.push(event.kind as string);
      versions.push(Number(event.version));
    }
    token = body.next_page_token as string | null;
  }
  expect(kinds).toEqual(['job.placed', 'job.changed', 'job.changed']);
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
});
