import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sweepDrains } from '#services/fleet/drain.ts';
import { forgetOperations, settleOperations } from '#services/operations/store.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet, insertJob, obeyStops, placeJob, report } from '#test/workflow/jobs/fleet.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
beforeEach(async () => {
  await sql`truncate job, node, outbox, idempotency_key, operation cascade`.execute(api.owner);
  await insertFleet(api.db);
});
afterAll(() => api.close());

async function running(spec = {}): Promise<string> {
  const job = await insertJob(api.db, spec);
  await placeJob(api.db, job);
  await report(api.db, api.config, job, { state: 'accepted' });
  await report(api.db, api.config, job, { state: 'ready' });
  return job;
}
const stateOf = async (job: string) => (await api.get(`/v1/jobs/${job}`)).body.state;
const endCancelled = (job: string) => api.db.updateTable('job').set({ state: 'CANCELLED', ended_at: new Date() }).where('id', '=', job).execute();

describe('cancel of a placed job', () => {
  it('is an operation that ends with the job', async () => {
    const job = await running();
    const answer = await api.post(`/v1/jobs/${job}/cancel`, { reason: 'not needed' });
    const place = String(answer.headers['operation-location']);
    expect(answer.body.state).toBe('CANCELLING');
    expect((await api.get(place)).body).toMatchObject({ kind: 'job.cancel', target: `job/${job}`, state: 'RUNNING', reason: 'not needed', endedAt: null, links: { target: `/v1/jobs/${job}` } });
    expect((await api.post(`/v1/jobs/${job}/cancel`)).headers['operation-location']).toBe(place);
    await endCancelled(job);
    expect((await api.get(place)).body).toMatchObject({ state: 'SUCCEEDED', endedAt: expect.any(String) });
  });

  it('Prefer: wait answers as soon as it is over', async () => {
    const job = await running();
    const answering = api.post(`/v1/jobs/${job}/cancel`, {}, { prefer: 'respond-async, wait=20' });
    await expect.poll(() => stateOf(job)).toBe('CANCELLING');
    await endCancelled(job);
    const answer = await answering;
    expect([answer.body.state, answer.headers['preference-applied']]).toEqual(['CANCELLED', 'wait=20']);
  });

  it('Prefer: wait answers after its time with what there is', async () => {
    const job = await running();
    const answer = await api.post(`/v1/jobs/${job}/cancel`, {}, { prefer: 'wait=1' });
    expect([answer.status, answer.body.state]).toEqual([200, 'CANCELLING']);
    const shown = await api.get(String(answer.headers['operation-location']), { prefer: 'wait=1' });
    expect([shown.body.state, shown.headers['preference-applied']]).toEqual(['RUNNING', 'wait=1']);
  });

  it('says so, where the job ended by itself before', async () => {
    const job = await running();
    const place = String((await api.post(`/v1/jobs/${job}/cancel`)).headers['operation-location']);
    await api.db.updateTable('job').set({ state: 'SUCCEEDED', ended_at: new Date() }).where('id', '=', job).execute();
    expect((await api.get(place)).body).toMatchObject({ state: 'FAILED', detail: 'the job ended SUCCEEDED before its processes were told' });
  });

  it('a waiting job ends at once: there is nothing to wait for', async () => {
    const answer = await api.post(`/v1/jobs/${await insertJob(api.db)}/cancel`, {}, { prefer: 'wait=20' });
    expect([answer.body.state, answer.headers['operation-location']]).toEqual(['CANCELLED', undefined]);
  });
});

describe('drain', () => {
  it('vacates what runs there, keeps the node cordoned, and is over when no member is left', async () => {
    const [here, elsewhere] = [await running({ members: 1, devicesPerMember: 1 }), await insertJob(api.db, { members: 1 })];
    const dry = await api.post('/v1/nodes/node-1/drain', { reason: 'new cable', dryRun: true });
    expect(dry.body).toEqual({ dryRun: true, jobs: [here], operation: null });
    expect(await stateOf(here)).toBe('RUNNING');

    const answer = await api.post('/v1/nodes/node-1/drain', { reason: 'new cable' });
    expect([answer.status, answer.body.jobs, answer.headers['location']]).toEqual([202, [here], answer.body.operation.links.self]);
    expect((await api.get(`/v1/jobs/${here}`)).body).toMatchObject({ state: 'VACATING', reason: expect.stringContaining('its node is drained') });
    expect(await stateOf(elsewhere)).toBe('QUEUED');
    expect((await api.get('/v1/nodes/node-1')).body).toMatchObject({ schedulable: false, obstacles: [{ code: 'cordoned', detail: 'new cable' }] });

    const waiting = api.get(answer.body.operation.links.self, { prefer: 'wait=20' });
    await obeyStops(api.db, api.config);
    expect((await waiting).body).toMatchObject({ kind: 'node.drain', target: 'node/node-1', state: 'SUCCEEDED' });
    expect((await api.post('/v1/nodes/node-1/drain', { reason: 'again' }, { prefer: 'wait=5' })).body.operation.state).toBe('SUCCEEDED');
  });

  it('told twice is one; a lifted cordon ends it', async () => {
    await running();
    const [first, second] = [await api.post('/v1/nodes/node-1/drain', { reason: 'a' }), await api.post('/v1/nodes/node-1/drain', { reason: 'b' })];
    expect(second.body.operation.id).toBe(first.body.operation.id);
    await api.post('/v1/nodes/node-1/uncordon');
    await settleOperations(api.db);
    expect((await api.get(first.body.operation.links.self)).body).toMatchObject({ state: 'FAILED', detail: 'the cordon was lifted before the node was empty' });
  });

  it('a crash after its transaction: the sweep goes on with it, and finds nothing when it is done', async () => {
    const job = await running();
    await api.db.insertInto('operation').values({ id: 'op_01h455vb4pex5vsknk084sn02q', kind: 'node.drain', target: 'node/node-2', actor_id: 'x', request_id: 'x' }).execute();
    expect(await sweepDrains(api.db, api.config)).toBe(1);
    expect(await stateOf(job)).toBe('VACATING');
    expect(await sweepDrains(api.db, api.config)).toBe(0);
  });

  it('knows no other node', async () => {
    expect((await api.post('/v1/nodes/nobody/drain', { reason: 'x' })).body).toMatchObject({ status: 404, code: 'node_not_found' });
    expect((await api.get('/v1/operations')).body.items).toEqual([]);
  });
});

describe('GET /v1/operations', () => {
  it('lists and filters; ended ones are forgotten in time', async () => {
    for (let n = 0; n < 3; n++) await api.post(`/v1/jobs/${await running({ members: 1, devicesPerMember: 1 })}/cancel`);
    const first = (await api.get('/v1/operations?page_size=2&state=RUNNING')).body;
    const second = (await api.get(`/v1/operations?page_size=2&state=RUNNING&page_token=${first.next_page_token}`)).body;
    expect([first.items.length, second.items.length, second.next_page_token]).toEqual([2, 1, null]);
    expect((await api.get('/v1/operations?kind=node.drain')).body.items).toEqual([]);
    await sql`update operation set state = 'SUCCEEDED', ended_at = clock_timestamp() - interval '1 day'`.execute(api.db);
    expect([await forgetOperations(api.db, 25, 100), await forgetOperations(api.db, 23, 100)]).toEqual([0, 3]);
  });

  it('shows a tenant neither the cluster\'s nor others\'', async () => {
    const job = await running();
    const mine = String((await api.post(`/v1/jobs/${job}/cancel`)).headers['operation-location']);
    const drained = (await api.post('/v1/nodes/node-1/drain', { reason: 'x' })).body.operation.links.self;
    await api.post('/v1/teams', { name: 'other' });
    const keyOf = async (team: string) => ({ authorization: `Bearer ${(await api.post('/v1/keys', { name: team, role: 'viewer', team })).body.key}` });
    const [own, foreign] = [await keyOf('default'), await keyOf('other')];
    expect([(await api.get(mine, own)).status, (await api.get(mine, foreign)).status, (await api.get(drained, own)).status]).toEqual([200, 404, 404]);
    expect((await api.get('/v1/operations', foreign)).body.items).toEqual([]);
    expect((await api.get('/v1/operations', { authorization: `Bearer ${await createApiKey(api.db, { name: 'jobs', scopes: ['jobs:*'] })}` })).status).toBe(403);
  });

  it.each(['x', 'op_01h455vb4pex5vsknk084sn02q', '%00'])('knows no operation %s', async (id) => {
    expect((await api.get(`/v1/operations/${id}`)).body).toMatchObject({ status: 404, code: 'operation_not_found' });
  });
});
