import { connect, type Socket } from 'node:net';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttp } from '#services/platform/http.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
let port: number;
beforeAll(async () => {
  api = await openApiWorld({ MUSTER_REQUEST_HEAD_MS: '400', MUSTER_REQUEST_MS: '800', MUSTER_KEEP_ALIVE_MS: '400', MUSTER_CONNECTIONS_MAX: '20' });
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  port = (api.app.server.address() as { port: number }).port;
});
afterAll(() => api.close());

interface Dialogue { readonly socket: Socket; readonly over: Promise<string> }
/** Everything that the server says until it ends the connection. */
function open(text = ''): Dialogue {
  const socket = connect(port, '127.0.0.1', () => { if (text) socket.write(text); });
  const over = new Promise<string>((resolve) => {
    let all = '';
    socket.on('data', (chunk) => { all += String(chunk); }).on('error', () => undefined).on('close', () => resolve(all));
  });
  return { socket, over };
}
const post = (length: number): string => `POST /v1/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

describe('slow clients', () => {
  it('one that trickles its headers is told and cut off', async () => {
    const { socket, over } = open('GET /v1/jobs HTTP/1.1\r\n');
    const trickle = setInterval(() => socket.write('x-a: b\r\n'), 100);
    expect(await over.finally(() => clearInterval(trickle))).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  });

  it('one that trickles its body too', async () => {
    const { socket, over } = open(post(1_000));
    const trickle = setInterval(() => socket.write(' '), 100);
    expect(await over.finally(() => clearInterval(trickle))).toMatch(/^HTTP\/1\.1 408 [^]*"code":"request_timeout"/);
  });

  it('one that says nothing is cut off, before and after a request', async () => {
    expect(await open().over).toMatch(/^(HTTP\/1\.1 408 .*)?/);
    expect(await open('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n').over).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('connections beyond the bound are closed, and room comes back', async () => {
    const many = Array.from({ length: 30 }, () => open());
    const answered = await Promise.race(many.map(({ over }) => over));
    expect(answered).toBe('');
    await Promise.all(many.map(({ over }) => over));
    expect(await open('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n').over).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('a body of 50 MB is refused by its length, before it is read', async () => {
    const { over } = open(post(50_000_000));
    expect(await over).toMatch(/^HTTP\/1\.1 413 [^]*"code":"body_too_large"/);
  });
});

describe('requests a second', () => {
  it('are counted by caller; who exceeds them is told when to come again', async () => {
    const limited = await openApiWorld({ MUSTER_REQUESTS_PER_SECOND_MAX: '1' });
    try {
      const answers = [];
      for (let n = 0; n < 12; n++) answers.push(await limited.get('/v1/jobs'));
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(200), 429, 429]);
      expect(answers[0]?.headers).toMatchObject({ 'ratelimit-limit': '10', 'ratelimit-remaining': '9' });
      const refused = answers[11];
      expect(refused?.body).toMatchObject({ code: 'rate_limited', retryable: true, context: { limit: 10, windowSeconds: 10 } });
      const [after, reset] = [Number(refused?.headers['retry-after']), Number(refused?.headers['ratelimit-reset'])];
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(10);
      expect(Math.abs(after - reset)).toBeLessThanOrEqual(1);
      const other = (await limited.raw({ method: 'GET', url: '/healthz' })).status;
      expect(other).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('a cluster that insists on Idempotency-Key', () => {
  it('refuses a POST without one, and reads as before', async () => {
    const strict = await openApiWorld({ MUSTER_IDEMPOTENCY_KEY_REQUIRED: '1' });
    try {
      for (const url of ['/v1/jobs', '/v1/jobs:batch', '/v1/jobs/job_x/cancel', '/v1/teams', '/v1/nodes/node-1/drain']) {
        expect((await strict.post(url, smallJob)).body, url).toMatchObject({ status: 400, code: 'idempotency_key_required' });
      }
      expect((await strict.post('/v1/jobs', smallJob, { 'idempotency-key': 'a' })).status).toBe(201);
      expect((await strict.get('/v1/jobs')).status).toBe(200);
      expect((await strict.post('/v1/enrolment-tokens', { ttlSeconds: 60 })).status).toBe(201);
    } finally {
      await strict.close();
    }
  });
});

it('a route that will go says since when, until when and what takes its place', async () => {
  const app = await createHttp({ config: api.config, log: api.log, authenticate: async () => undefined });
  app.get('/v1/old', {
    schema: { operationId: 'old', summary: 'An old route', response: { 200: Type.Object({ ok: Type.Boolean() }) } },
    config: { allow: 'public', deprecated: { since: new Date('2027-01-01T00:00:00Z'), sunset: new Date('2027-07-01T00:00:00Z'), successor: '/v1/new' } },
  }, async () => ({ ok: true }));
  await app.ready();
  const { headers } = await app.inject('/v1/old');
  expect(headers).toMatchObject({ deprecation: '@1798761600', sunset: 'Thu, 01 Jul 2027 00:00:00 GMT', link: '</v1/new>; rel="successor-version"' });
  expect(app.swagger()).toMatchObject({ paths: { '/v1/old': { get: { deprecated: true } } } });
  await app.close();
});
