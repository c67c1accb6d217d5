/** GET /v1/events: what a client sees, also after it was away, too slow, or away too long. */
import { request } from 'node:http';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { append, jobEventOf, until } from '#test/setup/events.ts';
import { openStreamWorld, type StreamWorld } from '#test/setup/sse.ts';

describe('GET /v1/events', () => {
  let world: StreamWorld;
  afterEach(() => world.close());

  const appendMany = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n++) await append(world.db, jobEventOf(`job_${n % 3}`, BigInt(n)));
  };
  const count = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  it('tells what happens from now on, by wakes alone', async () => {
    world = await openStreamWorld();
    await appendMany(1, 3);
    const caughtUp = await world.stream('/v1/events?after=0');
    await caughtUp.take(3);
    const stream = await world.stream('/v1/events');
    await append(world.db, jobEventOf('job_x', 9n, 'job.placed'));
    const [message] = await stream.take(1);
    expect(message).toMatchObject({ id: '4', event: 'job.placed' });
    expect(JSON.parse(message!.data)).toMatchObject({ pos: '4', key: 'job/job_x', version: '9', payload: { job: 'job_x' } });
  });

  it('SV27 a client that comes back continues without gap and without repetition, while events go on', async () => {
    world = await openStreamWorld();
    const writing = appendMany(1, 400);
    const seen: string[] = [];
    for (const size of [7, 50, 1, 120, 222]) {
      const stream = await world.stream('/v1/events?after=0', seen.length > 0 ? { 'last-event-id': seen.at(-1)! } : {});
      seen.push(...(await stream.take(size)).map((message) => message.id!));
      stream.close();
    }
    await writing;
    expect(seen).toEqual(count(1, 400));
  });

  it('SV27 many clients share one reading, and each gets everything', async () => {
    world = await openStreamWorld();
    await appendMany(1, 50);
    await (await world.stream('/v1/events?after=0')).take(50);
    const streams = await Promise.all(count(1, 20).map((after) => world.stream(`/v1/events?after=${after}`)));
    const reading = Promise.all(streams.map((stream, index) => stream.take(150 - index - 1)));
    await appendMany(51, 150);
    const ids = (await reading).map((messages) => messages.map((message) => message.id));
    expect(ids).toEqual(count(1, 20).map((after) => count(Number(after) + 1, 150)));
  });

  it('filters by kind, key, job and team', async () => {
    world = await openStreamWorld();
    await append(world.db, jobEventOf('job_a', 1n, 'job.placed'), jobEventOf('job_b', 1n), { kind: 'node.changed', key: 'node/node-1', version: 1n, payload: { node: 'node-1' } },
      { kind: 'checkpoint.committed', key: 'checkpoint/ckpt_1', version: 1n, payload: { job: 'job_a' } }, jobEventOf('job_a', 2n));
    const ids = async (query: string, expected: number): Promise<(string | undefined)[]> => (await (await world.stream(`/v1/events?after=0&${query}`)).take(expected)).map((message) => message.id);
    expect(await ids('kind=job.placed&kind=node.changed', 2)).toEqual(['1', '3']);
    expect(await ids('key=node/node-1', 1)).toEqual(['3']);
    expect(await ids('job=job_a', 3)).toEqual(['1', '4', '5']);
    expect(await ids('team=default', 3)).toEqual(['1', '2', '5']);
    expect((await world.stream('/v1/events?team=nobody')).problem).toMatchObject({ code: 'team_not_found' });
  });

  it('keeps an idle stream open by comments', async () => {
    world = await openStreamWorld({ MUSTER_SSE_HEARTBEAT_MS: '100' });
    const stream = await world.stream('/v1/events');
    const never = stream.take(1);
    await until(() => stream.comments.length >= 3);
    stream.close();
    expect(await never).toEqual([]);
  });

  it('cuts off a reader that takes nothing, and no other, whatever comes at once', async () => {
    world = await openStreamWorld({ MUSTER_SSE_BUFFER_BYTES_MAX: '65536', MUSTER_SSE_HEARTBEAT_MS: '1000' });
    const good = await world.stream('/v1/events?after=0');
    const isCut = openWithoutReading(`${world.url}/v1/events`, world.headers);
    const response = await isCut.opened;
    const filler = 'x'.repeat(20_000);
    const reading = good.take(600);
    for (let n = 1; n <= 600; n++) await append(world.db, jobEventOf('job_a', BigInt(n), 'job.changed', { filler }));
    await isCut.closed;
    expect(response.statusCode).toBe(200);
    expect((await reading).map((message) => message.id)).toEqual(count(1, 600));
  });

  it('refuses more streams than it may have, and takes the next when one has gone', async () => {
    world = await openStreamWorld({ MUSTER_SSE_CLIENTS_MAX: '2' });
    const [first] = [await world.stream('/v1/events'), await world.stream('/v1/events')];
    const refused = await world.stream('/v1/events');
    expect([refused.status, refused.problem?.code]).toEqual([503, 'too_many_streams']);
    first.close();
    await until(async () => (await world.stream('/v1/events')).status === 200);
  });

  it('410 says that what follows is no longer kept, or never was', async () => {
    world = await openStreamWorld();
    await appendMany(1, 5);
    await (await world.stream('/v1/events?after=0')).take(5);
    await sql`update event_sequence set kept_from_pos = 4`.execute(world.db);
    expect(await world.stream('/v1/events?after=2')).toMatchObject({ status: 410, problem: { code: 'gone', context: { keptFrom: '4' } } });
    expect(await world.stream('/v1/events', { 'last-event-id': '99' })).toMatchObject({ status: 410, problem: { code: 'gone' } });
    expect((await (await world.stream('/v1/events?after=3')).take(2)).map((message) => message.id)).toEqual(['4', '5']);
  });

  it.each(['x', '-1', '1.5', '99999999999999999999', '1; drop table outbox'])('refuses %s as a position', async (id) => {
    world = await openStreamWorld();
    expect(await world.stream('/v1/events', { 'last-event-id': id })).toMatchObject({ status: 400, problem: { code: 'invalid_request' } });
    expect(await world.stream(`/v1/events?after=${encodeURIComponent(id)}`)).toMatchObject({ status: 400, problem: { code: 'invalid_request' } });
  });
});

/** A socket whose data nobody takes: the kernel's buffers fill, then the server's. */
function openWithoutReading(url: string, headers: Readonly<Record<string, string>>): { opened: Promise<{ statusCode?: number | undefined }>; closed: Promise<void> } {
  const opened = Promise.withResolvers<{ statusCode?: number | undefined }>();
  const closed = Promise.withResolvers<void>();
  const asking = request(url, { headers }, (response) => {
    response.pause();
    response.socket.pause();
    opened.resolve(response);
    // A paused socket doesn't notice: from time to time it is asked, by a write, whether the other side is there.
    const probe = setInterval(() => { if (response.socket.destroyed) done(); else response.socket.write('\r\n'); }, 50);
    const done = (): void => { clearInterval(probe); closed.resolve(); };
    response.socket.on('close', done);
    response.socket.on('error', done);
  });
  asking.on('error', () => closed.resolve());
  asking.end();
  return { opened: opened.promise, closed: closed.promise };
}
