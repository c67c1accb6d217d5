import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp } from '#services/platform/http.ts';
import { createApiKey, ensureAdminKey, replaceAdminKey } from '#services/teams/api-keys.ts';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
afterAll(() => api.close());

const withKey = (key: string) => api.get('/v1/jobs', { authorization: `Bearer ${key}` });

describe('policies (SL18)', () => {
  it('every route has one, and only these need no key', () => {
    const routes = api.app.routeInfos();
    expect(routes.filter((route) => route.allow === undefined)).toEqual([]);
    expect(routes.filter((route) => route.allow === 'public' && !route.url.startsWith('/docs')).map((route) => route.url).sort())
      .toEqual(['/healthz', '/openapi.json', '/readyz']);
  });

  it('a route without one stops the start', async () => {
    const app = await createHttp({ config: api.config, log: api.log, authenticate: async () => undefined });
    app.get('/v1/secret', async () => 'x');
    await expect(app.ready()).rejects.toThrow('GET /v1/secret');
  });

  it('every other route refuses a request without a key, before it reads the body', async () => {
    const guarded = api.app.routeInfos().filter((route) => route.allow !== 'public');
    expect(guarded.length).toBeGreaterThan(5);
    for (const { method, url } of guarded) {
      const answer = await api.raw({ method: method as 'GET', url: url.replaceAll(/(?<=\/):[a-z]+/gi, 'x'), ...(method === 'GET' ? {} : { payload: 'not json', headers: { 'content-type': 'application/json' } }) });
      expect([url, answer.status, answer.body.code]).toEqual([url, 401, 'unauthenticated']);
    }
  });

  it('every other route refuses a key without its scope', async () => {
    const key = await createApiKey(api.db, { name: 'nothing', scopes: [] });
    for (const { method, url, allow } of api.app.routeInfos().filter((route) => route.allow !== 'public')) {
      const answer = await api.raw({ method: method as 'GET', url: url.replaceAll(/(?<=\/):[a-z]+/gi, 'x'), headers: { authorization: `Bearer ${key}` } });
      expect([url, answer.status, answer.body.context]).toEqual([url, 403, { scope: allow }]);
    }
  });
});

describe('API keys', () => {
  it('hold what their scopes say', async () => {
    const reader = await createApiKey(api.db, { name: 'reader', scopes: ['jobs:read'] });
    expect((await withKey(reader)).status).toBe(200);
    expect((await api.post('/v1/jobs', { name: 'x', argv: ['true'] }, { authorization: `Bearer ${reader}` })).status).toBe(403);
    const all = await createApiKey(api.db, { name: 'jobs', scopes: ['jobs:*'] });
    expect((await api.post('/v1/jobs', { name: 'x', argv: ['true'] }, { authorization: `Bearer ${all}` })).status).toBe(201);
    expect((await api.get('/v1/teams', { authorization: `Bearer ${all}` })).status).toBe(403);
  });

  it('end when they expire and when they are revoked', async () => {
    const expired = await createApiKey(api.db, { name: 'old', scopes: ['*'], expiresAt: new Date(Date.now() - 1_000) });
    expect((await withKey(expired)).status).toBe(401);
    const key = await createApiKey(api.db, { name: 'revoked', scopes: ['*'] });
    expect((await withKey(key)).status).toBe(200);
    await api.db.updateTable('api_key').set({ revoked_at: new Date() }).where('name', '=', 'revoked').execute();
    expect((await withKey(key)).status).toBe(401);
  });

  it('are stored as a digest, and their use is noted once a minute', async () => {
    const key = await createApiKey(api.db, { name: 'noted', scopes: ['*'] });
    const row = () => api.db.selectFrom('api_key').selectAll().where('name', '=', 'noted').executeTakeFirstOrThrow();
    expect(JSON.stringify(await row())).not.toContain(key.split('.')[1]);
    await withKey(key);
    const first = (await row()).last_used_at;
    expect(first).not.toBeNull();
    await withKey(key);
    expect((await row()).last_used_at).toEqual(first);
  });

  it.each([['nothing', ''], ['another scheme', 'Basic abc'], ['no secret', 'Bearer mk_key_01h455vb4pex5vsknk084sn02q'], ['a wrong shape', 'Bearer x'], ['two tokens', 'Bearer a b'], ['control characters', 'Bearer mk_\u0001']])(
    '%s is no key', async (_name, authorization) => {
      expect((await api.raw({ method: 'GET', url: '/v1/jobs', headers: { authorization } })).status).toBe(401);
    });

  it('with a right id and another secret are refused', async () => {
    const [id] = api.key.split('.');
    expect((await withKey(`${id}.${'A'.repeat(43)}`)).status).toBe(401);
  });

  it('the admin key is made once, whoever asks at the same time, and can be replaced', async () => {
    const made = await Promise.all([ensureAdminKey(api.db), ensureAdminKey(api.db), ensureAdminKey(api.db)]);
    const keys = made.filter((key) => key !== null);
    expect(keys).toHaveLength(1);
    expect((await withKey(keys[0] ?? '')).status).toBe(200);
    const next = await replaceAdminKey(api.db);
    expect((await withKey(keys[0] ?? '')).status).toBe(401);
    expect((await withKey(next)).status).toBe(200);
  });
});

describe('request ids', () => {
  it('are taken from the caller where they are sane, else made', async () => {
    expect((await api.get('/v1/jobs', { 'x-request-id': 'trace-1' })).headers['x-request-id']).toBe('trace-1');
    expect((await api.get('/v1/jobs', { 'x-request-id': 'x y\u00e4' })).headers['x-request-id']).toMatch(/^req_/);
    expect((await api.get('/v1/jobs', { 'x-request-id': 'x'.repeat(500) })).headers['x-request-id']).toMatch(/^req_/);
  });
});
