import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#services/audit/digest.ts';
import { putAside } from '#services/events/dead-letters.ts';
import { openApiWorld, smallJob, type Answer, type ApiWorld } from '#test/setup/api.ts';
import { insertFleet } from '#test/workflow/jobs/fleet.ts';

let api: ApiWorld;
beforeAll(async () => {
  api = await openApiWorld({ MUSTER_SECRET_KEY: randomBytes(32).toString('base64url') });
  await insertFleet(api.db);
});
afterAll(() => api.close());

const send = (method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> => api.raw({
  method: method as 'POST', url, headers: { authorization: `Bearer ${api.key}`, 'x-request-id': randomUUID(), ...headers }, ...(body === undefined ? {} : { payload: body }),
});
const made = async (url: string, body: object): Promise<string> => (await send('POST', url, body)).body.id as string;
const entriesOf = (requestId: unknown) => sql<{ action: string; target: string; reason: string | null; before_sha256: Buffer | null; after_sha256: Buffer | null; actor_name: string }>`
  select * from audit where request_id = ${String(requestId)}`.execute(api.owner).then(({ rows }) => rows);

const withCredential = async (): Promise<void> => {
  await api.db.insertInto('node_credential').values({ node_id: 'node-2', secret_sha256: Buffer.alloc(32) }).onConflict((conflict) => conflict.doNothing()).execute();
};
const job = () => made('/v1/jobs', smallJob);
const key = () => made('/v1/keys', { name: 'made', role: 'viewer' });
const binding = async () => made('/v1/bindings', { principal: { kind: 'key', id: await key() }, role: 'viewer', team: 'default' });

/** How each route that changes something is called so that it succeeds. A route that is missing here fails the test. */
const calls: Readonly<Record<string, () => Promise<Answer>>> = {
  'POST /v1/jobs': () => send('POST', '/v1/jobs', smallJob),
  'POST /v1/jobs:batch': () => send('POST', '/v1/jobs:batch', { jobs: [smallJob, smallJob] }),
  'POST /v1/jobs/:job/cancel': async () => send('POST', `/v1/jobs/${await job()}/cancel`, { reason: 'not needed' }),
  'POST /v1/jobs/:job/retry': async () => {
    const id = await job();
    await send('POST', `/v1/jobs/${id}/cancel`, {});
    return send('POST', `/v1/jobs/${id}/retry`, {});
  },
  'PATCH /v1/jobs/:job': async () => send('PATCH', `/v1/jobs/${await job()}`, { labels: { a: 'b' } }, { 'if-match': '"1"' }),
  'POST /v1/teams': () => send('POST', '/v1/teams', { name: 'audited' }),
  'POST /v1/orgs': () => send('POST', '/v1/orgs', { name: 'audited' }),
  'POST /v1/keys': () => send('POST', '/v1/keys', { name: 'audited', role: 'viewer' }),
  'POST /v1/keys/:key/rotate': async () => send('POST', `/v1/keys/${await key()}/rotate`, { overlapSeconds: 0 }),
  'POST /v1/keys/:key/revoke': async () => send('POST', `/v1/keys/${await key()}/revoke`, {}),
  'POST /v1/bindings': async () => send('POST', '/v1/bindings', { principal: { kind: 'key', id: await key() }, role: 'viewer', team: 'default' }),
  'DELETE /v1/bindings/:binding': async () => send('DELETE', `/v1/bindings/${await binding()}`),
  'PUT /v1/teams/:team/secrets/:secret': () => send('PUT', '/v1/teams/default/secrets/token', { value: 'planted' }),
  'DELETE /v1/teams/:team/secrets/:secret': async () => {
    await send('PUT', '/v1/teams/default/secrets/gone', { value: 'planted' });
    return send('DELETE', '/v1/teams/default/secrets/gone');
  },
  'POST /v1/nodes/:node/cordon': () => send('POST', '/v1/nodes/node-1/cordon', { reason: 'new cable' }),
  'POST /v1/nodes/:node/uncordon': () => send('POST', '/v1/nodes/node-1/uncordon', {}),
  'POST /v1/nodes/:node/drain': () => send('POST', '/v1/nodes/node-3/drain', { reason: 'new cable' }),
  'POST /v1/nodes/:node/revoke': async () => {
    await withCredential();
    return send('POST', '/v1/nodes/node-2/revoke', { reason: 'stolen' });
  },
  'POST /v1/nodes/:node/rotate-credential': async () => {
    await api.db.insertInto('node_credential').values({ node_id: 'node-4', secret_sha256: Buffer.alloc(32) }).execute();
    return send('POST', '/v1/nodes/node-4/rotate-credential', { reason: 'by the calendar' });
  },
  'POST /v1/nodes/:node/confirm-terminated': () => send('POST', '/v1/nodes/node-3/confirm-terminated', { bootId: 'boot-node-3', reason: 'is off' }),
  'POST /v1/enrolment-tokens': () => send('POST', '/v1/enrolment-tokens', { ttlSeconds: 60 }),
  'POST /v1/dead-letters/:id/redrive': async () => {
    await putAside(api.db, { consumer: 'test', error: 'x', deliveries: 1, message: { incarnation: 1, pos: '1', key: 'job/job_x', version: '1', kind: 'job.changed', payload: {}, createdAt: new Date().toISOString() } });
    const [letter] = (await api.get('/v1/dead-letters')).body.items;
    return send('POST', `/v1/dead-letters/${letter.id}/redrive`);
  },
};

const unsafe = () => api.app.routeInfos().filter(({ method, url }) => url.startsWith('/v1/') && !['GET', 'HEAD', 'OPTIONS'].includes(method)).map(({ method, url }) => `${method} ${url}`);

it('every route that changes something writes an entry with who, what and why', async () => {
  const silent: string[] = [];
  for (const route of unsafe()) {
    const call = calls[route];
    expect(call, `${route}: say here how it is called`).toBeDefined();
    const answer = await call?.();
    expect([route, answer?.status, answer?.body?.detail], JSON.stringify(answer?.body)).toEqual([route, expect.toSatisfy((status: number) => status >= 200 && status < 300), answer?.body?.detail]);
    const entries = await entriesOf(answer?.headers['x-request-id']);
    if (entries.length !== 1 || entries[0]?.actor_name !== 'test') silent.push(route);
  }
  expect(silent).toEqual([]);
});

it('a refused change writes none', async () => {
  const answer = await send('POST', '/v1/jobs', { ...smallJob, team: 'nobody' });
  expect(answer.status).toBe(400);
  expect(await entriesOf(answer.headers['x-request-id'])).toEqual([]);
});

it('a replayed answer writes none', async () => {
  await send('POST', '/v1/jobs', smallJob, { 'idempotency-key': 'once' });
  const again = await send('POST', '/v1/jobs', smallJob, { 'idempotency-key': 'once' });
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(await entriesOf(again.headers['x-request-id'])).toEqual([]);
});

it('the digest is that of the row, so the log can be held against the table', async () => {
  const answer = await send('POST', '/v1/jobs', smallJob);
  const row = await api.db.selectFrom('job').selectAll().where('id', '=', answer.body.id).executeTakeFirstOrThrow();
  const [entry] = await entriesOf(answer.headers['x-request-id']);
  expect(entry).toMatchObject({ action: 'job.submit', target: `job/${answer.body.id}`, before_sha256: null });
  expect(entry?.after_sha256).toEqual(digestOf(row));
  const cancelled = await send('POST', `/v1/jobs/${answer.body.id}/cancel`, { reason: 'not needed' });
  const [second] = await entriesOf(cancelled.headers['x-request-id']);
  expect(second).toMatchObject({ reason: 'not needed', before_sha256: digestOf(row) });
});

describe('GET /v1/audit', () => {
  it('pages through all entries, newest first, and filters them', async () => {
    for (let n = 0; n < 5; n++) await send('POST', '/v1/jobs', { ...smallJob, name: `n${n}` });
    const read: string[] = [];
    for (let token: string | null = ''; token !== null;) {
      const page = (await api.get(`/v1/audit?page_size=7${token ? `&page_token=${token}` : ''}`)).body as { items: { id: string }[]; next_page_token: string | null };
      read.push(...page.items.map(({ id }) => id));
      token = page.next_page_token;
    }
    const all = (await sql<{ id: bigint }>`select id from audit order by id desc`.execute(api.owner)).rows.map(({ id }) => id.toString());
    expect(read).toEqual(all);
    const cordons = (await api.get('/v1/audit?action=node.cordon&target=node/node-1')).body.items;
    expect(cordons).toMatchObject([{ actor: { name: 'test' }, reason: 'new cable', beforeSha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect((await api.get('/v1/audit?since=2999-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await api.get('/v1/audit?until=2999-01-01T00:00:00Z&page_size=1')).body.items).toHaveLength(1);
    expect((await api.get('/v1/audit?since=2026-99-99T00:00:00Z')).body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('holds no value of a secret', async () => {
    await send('PUT', '/v1/teams/default/secrets/planted', { value: 'planted-value' });
    expect(JSON.stringify((await sql`select a::text from audit a`.execute(api.owner)).rows)).not.toContain('planted-value');
  });
});
