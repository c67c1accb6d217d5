import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiWorld, pointersOf, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await openApiWorld();
  headers = { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' };
});
afterAll(() => api.close());

const jobs = (): Promise<number> => api.db.selectFrom('job').select('id').execute().then((rows) => rows.length);

describe('a specification that does not fit', () => {
  const cases: readonly [string, object, string[]][] = [
    ['an unknown field', { ...smallJob, gpus: 8 }, ['/gpus']],
    ['an unknown field within', { ...smallJob, retry: { often: 3 } }, ['/retry/often']],
    ['a missing field', { name: 'x' }, ['/argv']],
    ['a number as text', { ...smallJob, members: '4' }, ['/members']],
    ['text as a number', { ...smallJob, name: 7 }, ['/name']],
    ['a fraction', { ...smallJob, members: 1.5 }, ['/members']],
    ['a negative size', { ...smallJob, members: -1, devicesPerMember: -8, cpuMilli: -1 }, ['/members', '/devicesPerMember', '/cpuMilli']],
    ['an absurd size', { ...smallJob, members: 1e15, devicesPerMember: 65, memoryBytes: '9'.repeat(40) }, ['/members', '/devicesPerMember', '/memoryBytes']],
    ['a number beyond doubles', { ...smallJob, members: 1e308 }, ['/members']],
    ['control characters in a name', { ...smallJob, name: 'a\u001b[2J' }, ['/name']],
    ['a right-to-left override in a name', { ...smallJob, name: 'a\u202ebc' }, ['/name']],
    ['letters beyond ASCII in a name', { ...smallJob, name: 'größe' }, ['/name']],
    ['NUL in an argument', { ...smallJob, argv: ['a\u0000b'] }, ['/argv/0']],
    ['half of a surrogate pair', { ...smallJob, argv: ['\ud800'] }, ['/argv/0']],
    ['a name of an environment variable with a space', { ...smallJob, env: { 'A B': 'x' } }, ['/env/A B']],
    ['a label key with a slash in front', { ...smallJob, labels: { '/x': 'y' } }, ['/labels/~1x']],
    ['a value that is none of a list', { ...smallJob, priorityClass: 'urgent' }, ['/priorityClass']],
    ['a relative working directory', { ...smallJob, workingDirectory: '../x' }, ['/workingDirectory']],
    ['too many arguments', { ...smallJob, argv: Array.from({ length: 513 }, () => 'x') }, ['/argv']],
    ['null', { ...smallJob, env: null }, ['/env']],
    ['a team that is not there', { ...smallJob, team: 'nobody' }, ['/team']],
  ];
  it.each(cases)('is refused by its field: %s', async (_name, body, pointers) => {
    const before = await jobs();
    const answer = await api.raw({ method: 'POST', url: '/v1/jobs', headers, payload: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(pointersOf(answer).sort()).toEqual([...pointers].sort());
    expect(answer.body).toMatchObject({ code: 'invalid_request', status: 400, retryable: false, instance: answer.headers['x-request-id'] });
    expect(await jobs()).toBe(before);
  });

  it('says field, limit and value in a sentence', async () => {
    const answer = await api.post('/v1/jobs', { ...smallJob, members: 5000, priorityClass: 'urgent' });
    expect(answer.body.errors).toEqual(expect.arrayContaining([
      { pointer: '/members', detail: 'members must be at most 4096, not 5000' },
      { pointer: '/priorityClass', detail: 'priorityClass must be one of low, normal, high, not "urgent"' },
    ]));
  });

  it('never shows control characters back', async () => {
    const answer = await api.post('/v1/jobs', { ...smallJob, name: 'x\u001b[2J', '\u0007field': 1 });
    const told = [answer.body.detail, ...answer.body.errors.map((error: { detail: string }) => error.detail)].join();
    expect(told).not.toMatch(/[\u0000-\u001f]/);
  });
});

describe('a body that can not be read', () => {
  const cases: readonly [string, string | Buffer, number, string][] = [
    ['half a document', '{"name":', 400, 'malformed_json'],
    ['nothing', '', 400, 'invalid_request'],
    ['text', 'hello', 400, 'malformed_json'],
    ['an array', '[]', 400, 'invalid_request'],
    ['a number', '7', 400, 'invalid_request'],
    ['__proto__', '{"name":"x","argv":["true"],"__proto__":{"admin":true}}', 400, 'malformed_json'],
    ['nesting of 100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 400, 'malformed_json'],
    ['nesting within a field', `{"name":"x","argv":${'['.repeat(65)}${']'.repeat(65)}}`, 400, 'malformed_json'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400, 'malformed_json'],
  ];
  it.each(cases)('is refused: %s', async (_name, payload, status, code) => {
    const answer = await api.raw({ method: 'POST', url: '/v1/jobs', headers, payload });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('is refused for its media type', async () => {
    for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
      const answer = await api.raw({ method: 'POST', url: '/v1/jobs', headers: { ...headers, 'content-type': type }, payload: JSON.stringify(smallJob) });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('of 50 MB is refused without being read to its end, and the server goes on', async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
      const call = request(`${address}/v1/jobs`, { method: 'POST', headers: { ...headers, 'content-length': 52_428_800 } }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => { body += chunk; }).on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      call.on('error', reject);
      call.write(`{"name":"${'x'.repeat(100_000)}`);
    });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'body_too_large', context: { bytesMax: 1_048_576 } });
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it('with many wrong fields is refused with a bounded list', async () => {
    const answer = await api.post('/v1/jobs', { ...smallJob, argv: Array.from({ length: 500 }, () => 7) });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.length).toBeLessThanOrEqual(20);
  });
});

describe('a request to the wrong place', () => {
  it('names route and methods', async () => {
    expect((await api.get('/v1/nothing')).body).toMatchObject({ status: 404, code: 'route_not_found' });
    const wrongMethod = await api.raw({ method: 'DELETE', url: '/v1/jobs', headers });
    expect(wrongMethod.body).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(String(wrongMethod.headers['allow']).split(', ').sort()).toEqual(['GET', 'POST']);
  });

  it.each([
    ['no id', 'job_nope'], ['of a team', 'team_01h455vb4pex5vsknk084sn02q'], ['of another cluster', 'job_01h455vb4pex5vsknk084sn02q'], ['a path', '..%2F..%2Fetc'],
    ['NUL', '%00'], ['500 characters', 'x'.repeat(500)], ['SQL', "'; drop table job; --"],
  ])(
    'with a foreign id is no such job: %s', async (_name, id) => {
      for (const url of [`/v1/jobs/${id}`, `/v1/jobs/${id}/attempts`, `/v1/jobs/${id}/events`]) {
        expect((await api.get(url)).body).toMatchObject({ status: 404, code: 'job_not_found' });
      }
      expect((await api.post(`/v1/jobs/${id}/cancel`)).body.code).toBe('job_not_found');
      expect((await api.post(`/v1/jobs/${id}/retry`)).body.code).toBe('job_not_found');
    });

  it('no value in a path or a cursor is an error of ours', async () => {
    const forged = Buffer.from(JSON.stringify(['x', '9'.repeat(19)])).toString('base64url');
    for (const { url } of api.app.routeInfos().filter((route) => route.method === 'GET' && route.url.startsWith('/v1/') && route.allow !== 'public')) {
      for (const part of ['%00', '%ff', '9'.repeat(30), '%F0%9F%9A%80']) {
        const answer = await api.get(`${url.replaceAll(/(?<=\/):[a-z]+/gi, part)}?page_token=${forged}`);
        expect([url, part, answer.status >= 400 && answer.status < 500]).toEqual([url, part, true]);
      }
    }
  });

  it('with a path that is no path is answered', async () => {
    const answer = await api.raw({ method: 'GET', url: '/v1/jobs/%zz', headers });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['content-type']).toContain('application/problem+json');
  });

  it.each(['page_size=0', 'page_size=201', 'page_size=x', 'page_size=1e9', 'state=DONE', 'label=novalue', 'team=a%00', 'foo=1', 'name=%1b'])(
    'with a bad query is refused: %s', async (query) => {
      const answer = await api.get(`/v1/jobs?${query}`);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
      expect(answer.body.errors[0].detail).toMatch(/^query parameter /);
    });

  it.each(['x', 'bm9wZQ', Buffer.from('["a","b"]').toString('base64url'), Buffer.from('{"a":1}').toString('base64url')])(
    'with a page token of others is refused: %s', async (token) => {
      expect((await api.get(`/v1/jobs?page_token=${token}`)).body).toMatchObject({ status: 400, code: 'invalid_cursor' });
    });
});

it('bytes that are not HTTP are answered and the connection ends', async () => {
  const { connect } = await import('node:net');
  const { port } = api.app.server.address() as { port: number };
  const text = await new Promise<string>((resolve) => {
    let all = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('NOT HTTP AT ALL\r\n\r\n'));
    socket.on('data', (chunk) => { all += String(chunk); }).on('close', () => resolve(all));
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain('application/problem+json');
});
