import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import { createApi } from '#services/roles/api.ts';
import { openDb } from '#services/platform/db.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
afterEach(() => api.close());

it('is alive but not ready while Postgres is away, says so, and refuses with 503', async () => {
  api = await openApiWorld();
  const config = { ...api.config, databaseUrl: 'postgres://muster@127.0.0.1:1/nowhere' };
  const db = openDb(config, api.log, 'away');
  const app = await createApi({ db, config, log: api.log, bus: () => undefined });
  try {
    expect((await app.inject('/healthz')).statusCode).toBe(200);
    const ready = await app.inject('/readyz');
    expect(ready.statusCode).toBe(503);
    expect(ready.json().parts).toMatchObject([{ name: 'postgres', ok: false }, { name: 'migrations', ok: false }, { name: 'nats', ok: false }]);
    const answer = await app.inject({ method: 'POST', url: '/v1/jobs', headers: { authorization: `Bearer ${api.key}` }, payload: smallJob });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'unavailable', retryable: true, context: { part: 'postgres' } });
    expect(answer.headers['retry-after']).toBe('1');
  } finally {
    await app.close();
    await db.destroy();
  }
});

it('submits while NATS is away', async () => {
  api = await openApiWorld();
  expect((await api.get('/readyz')).body.parts).toMatchObject([{ name: 'postgres', ok: true }, { name: 'migrations', ok: true }, { name: 'nats', ok: false, detail: 'not connected' }]);
  expect((await api.post('/v1/jobs', smallJob)).status).toBe(201);
});

it('has a page that needs nothing from elsewhere', async () => {
  api = await openApiWorld();
  const page = await api.get('/docs/');
  expect(page.status).toBe(200);
  expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
  expect((await api.get('/docs/json')).body.openapi ?? (await api.get('/openapi.json')).body.openapi).toBe('3.1.0');
});

it('goes on when the server drops every connection: each request is answered or told to come again', async () => {
  api = await openApiWorld();
  const statuses = new Set<number>();
  const requests = Array.from({ length: 40 }, async (_, index) => {
    if (index % 10 === 5) await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.execute(api.db).catch(() => undefined);
    statuses.add((await (index % 2 === 0 ? api.get('/v1/jobs') : api.post('/v1/jobs', smallJob))).status);
  });
  await Promise.all(requests);
  expect([...statuses].every((status) => [200, 201, 503].includes(status)), [...statuses].join()).toBe(true);
  await vi.waitFor(async () => expect((await api.post('/v1/jobs', smallJob)).status).toBe(201), { timeout: 5_000 });
});
