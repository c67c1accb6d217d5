import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet, insertJob, nodeIds, placeJob, report, silence } from '#test/workflow/jobs/fleet.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
beforeEach(async () => {
  await sql`truncate job, node, outbox, idempotency_key cascade`.execute(api.owner);
  await insertFleet(api.db);
});
afterAll(() => api.close());

const node = async (name: string) => (await api.get(`/v1/nodes/${name}`)).body;
const eventsOf = (name: string) => api.db.selectFrom('outbox').select(['kind', 'version']).where('key', '=', `node/${name}`).orderBy('id').execute();

/** A gang of four, one member a node, ordered to its boot. */
async function runningGang(): Promise<string> {
  const job = await insertJob(api.db);
  await placeJob(api.db, job);
  for (const id of nodeIds) await api.db.updateTable('member').set({ ordered_boot_id: `boot-${id}` }).where('node_id', '=', id).execute();
  await report(api.db, api.config, job, { state: 'accepted' });
  await report(api.db, api.config, job, { state: 'ready' });
  return job;
}

const jobRow = (job: string) => api.db.selectFrom('job').select(['state', 'vacate_reason']).where('id', '=', job).executeTakeFirstOrThrow();

describe('GET /v1/nodes', () => {
  it('shows what runs, what is used, and that it takes work', async () => {
    const job = await runningGang();
    const first = await api.get('/v1/nodes?page_size=3');
    expect(first.body.items.map((item: { name: string }) => item.name)).toEqual(nodeIds.slice(0, 3));
    const second = await api.get(`/v1/nodes?page_size=3&page_token=${first.body.next_page_token}`);
    expect(second.body).toMatchObject({ items: [{ name: 'node-4' }], next_page_token: null });
    expect(await node('node-2')).toMatchObject({
      state: 'LIVE', schedulable: true, obstacles: [], bootId: 'boot-node-2', memoryBytes: String(2n ** 38n),
      devices: Array.from({ length: 8 }, (_, index) => ({ index, usedMilli: 1_000, health: 'ok' })),
      members: [{ job, rank: 1, state: 'ready', devices: [0, 1, 2, 3, 4, 5, 6, 7] }],
    });
    expect((await node('node-2')).leaseLeftMs).toBeGreaterThan(3_000_000);
  });

  it.each(['nobody', 'Node-1', '..%2f', 'a'.repeat(300), '%00'])('knows no node %j', async (name) => {
    expect((await api.get(`/v1/nodes/${name}`)).body).toMatchObject({ status: 404, code: 'node_not_found' });
  });
});

describe('cordons', () => {
  it('keep new work away until they are lifted, and say why', async () => {
    expect((await api.post('/v1/nodes/node-1/cordon', { reason: 'new cable' })).body).toMatchObject({ schedulable: false, obstacles: [{ code: 'cordoned', detail: 'new cable' }] });
    await api.post('/v1/nodes/node-1/cordon', { reason: 'new cable' });
    expect(await eventsOf('node-1')).toEqual([{ kind: 'node.changed', version: 2n }]);
    expect((await api.post('/v1/nodes/node-1/uncordon')).body).toMatchObject({ schedulable: true, obstacles: [] });
    await api.post('/v1/nodes/node-1/uncordon');
    expect(await eventsOf('node-1')).toHaveLength(2);
  });

  it('P19 that a fence set is not lifted by uncordon', async () => {
    await api.db.updateTable('node').set({ cordoned_by_fence: true }).where('id', '=', 'node-1').execute();
    await api.post('/v1/nodes/node-1/cordon', { reason: 'mine' });
    expect((await api.post('/v1/nodes/node-1/uncordon')).body).toMatchObject({ schedulable: false, obstacles: [{ code: 'fenced' }] });
  });

  it.each([[{}, '/reason'], [{ reason: '' }, '/reason'], [{ reason: 'a\u001b' }, '/reason'], [{ reason: 'x', more: 1 }, '/more']])('refuse %j', async (body, pointer) => {
    expect((await api.post('/v1/nodes/node-1/cordon', body)).body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });
});

describe('trust', () => {
  it('a token is shown once, for one node or any new one', async () => {
    const made = await api.post('/v1/enrolment-tokens', { node: 'node-9', ttlSeconds: 60 });
    expect(made).toMatchObject({ status: 201, body: { node: 'node-9', token: expect.stringMatching(/^[\w-]{43}$/) } });
    const again = await api.post('/v1/enrolment-tokens', { ttlSeconds: 60 }, { 'idempotency-key': 'k' });
    expect(again.body.node).toBeNull();
    expect(await api.db.selectFrom('idempotency_key').select('key').execute()).toEqual([]);
  });

  it.each([[{}, '/ttlSeconds'], [{ ttlSeconds: 0 }, '/ttlSeconds'], [{ ttlSeconds: 1e9 }, '/ttlSeconds'], [{ ttlSeconds: 60, node: 'a.b' }, '/node']])('refuses a token of %j', async (body, pointer) => {
    expect((await api.post('/v1/enrolment-tokens', body)).body).toMatchObject({ status: 400, errors: [{ pointer }] });
  });

  it('revoking ends a credential once', async () => {
    await api.db.insertInto('node_credential').values({ node_id: 'node-1', secret_sha256: Buffer.alloc(32) }).execute();
    expect((await api.post('/v1/nodes/node-1/revoke', { reason: 'stolen' })).status).toBe(200);
    expect((await api.post('/v1/nodes/node-1/revoke', { reason: 'stolen' })).body).toMatchObject({ status: 409, code: 'credential_absent' });
  });
});

describe('P31 an operator\'s proof', () => {
  const confirm = (name: string, body: object) => api.post(`/v1/nodes/${name}/confirm-terminated`, { reason: 'power is off', ...body });

  it('of the current boot: its members are gone, the epoch is fenced, the boot is over', async () => {
    const job = await runningGang();
    const answer = await confirm('node-2', { bootId: 'boot-node-2' });
    expect(answer.body).toMatchObject({ node: 'node-2', bootId: 'boot-node-2', dryRun: false, membersGone: [{ job, rank: 1 }] });
    expect(await jobRow(job)).toEqual({ state: 'VACATING', vacate_reason: 'lost' });
    expect(await api.db.selectFrom('attempt').select(['fenced', 'gone']).where('job_id', '=', job).execute()).toEqual([{ fenced: true, gone: 1 }]);
    expect(await node('node-2')).toMatchObject({ state: 'DEAD', schedulable: false, members: [] });
    const boots = await api.db.selectFrom('node_boot').select(['node_id', 'boot_id', 'proof']).execute();
    expect(boots).toEqual([{ node_id: 'node-2', boot_id: 'boot-node-2', proof: expect.stringMatching(/^confirmed by test \(key_\w+\): power is off$/) }]);
  });

  it('told twice changes nothing more', async () => {
    const job = await runningGang();
    await confirm('node-2', { bootId: 'boot-node-2' });
    const before = [await jobRow(job), await eventsOf('node-2')];
    expect((await confirm('node-2', { bootId: 'boot-node-2' })).body.membersGone).toEqual([]);
    expect([await jobRow(job), await eventsOf('node-2')]).toEqual(before);
  });

  it('of a boot that was never heard is refused: a typing error kills no live machine', async () => {
    const job = await runningGang();
    expect((await confirm('node-2', { bootId: 'boot-node-3' })).body).toMatchObject({ status: 409, code: 'boot_unknown' });
    expect((await jobRow(job)).state).toBe('RUNNING');
    expect(await node('node-2')).toMatchObject({ state: 'LIVE', schedulable: true });
  });

  it('of an older boot leaves the newer one at work', async () => {
    await runningGang();
    await api.db.updateTable('node').set({ boot_id: 'boot-new' }).where('id', '=', 'node-2').execute();
    expect((await confirm('node-2', { bootId: 'boot-node-2' })).body.membersGone).toHaveLength(1);
    expect(await node('node-2')).toMatchObject({ state: 'LIVE', schedulable: true, bootId: 'boot-new' });
  });

  it('of a silent node ends the wait for it, whatever the fence still counts', async () => {
    const job = await runningGang();
    await silence(api.db, api.config, 'node-2');
    expect((await jobRow(job)).state).toBe('LOST');
    await confirm('node-2', { bootId: 'boot-node-2' });
    expect(await jobRow(job)).toEqual({ state: 'VACATING', vacate_reason: 'lost' });
  });

  it('P30 frees what was fenced on it', async () => {
    const job = await runningGang();
    await api.db.updateTable('allocation').set({ state: 'fenced' }).where('node_id', '=', 'node-2').execute();
    await api.db.updateTable('job').set({ state: 'QUEUED' }).where('id', '=', job).execute();
    await confirm('node-2', { bootId: 'boot-node-2' });
    expect(await api.db.selectFrom('allocation').select('rank').where('node_id', '=', 'node-2').execute()).toEqual([]);
    expect((await node('node-2')).devices.map((device: { usedMilli: number }) => device.usedMilli)).toEqual(Array.from({ length: 8 }, () => 0));
    expect((await jobRow(job)).state).toBe('QUEUED');
  });

  it('a dry run only says what would be gone', async () => {
    const job = await runningGang();
    expect((await confirm('node-2', { bootId: 'boot-node-2', dryRun: true })).body).toMatchObject({ dryRun: true, membersGone: [{ job, rank: 1 }] });
    expect((await jobRow(job)).state).toBe('RUNNING');
    expect((await node('node-2')).state).toBe('LIVE');
  });
});
