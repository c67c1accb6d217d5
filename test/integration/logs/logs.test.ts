/** GET /v1/jobs/{job}/logs: what members printed, though their node may be gone. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { subjects } from '#services/fleet/model.ts';
import { logMessageId, type LogChunk } from '#services/logs/model.ts';
import { newId } from '#services/platform/ids.ts';
import { publishLog } from '#services/platform/nats/log-stream.ts';
import { insertPlacedJob } from '#test/setup/events.ts';
import { openStreamWorld, type StreamWorld } from '#test/setup/sse.ts';

const epoch = '4294967297';
let world: StreamWorld;
let job: string;
beforeEach(async () => {
  world = await openStreamWorld();
  job = newId('job');
  await insertPlacedJob(world.db, job);
});
afterEach(() => world.close());

const print = async (rank: number, offset: number, text: string | Buffer, more: Partial<LogChunk> = {}, of = epoch): Promise<void> => {
  const chunk: LogChunk = { stream: 'stdout', offset: String(offset), atMs: Date.now(), text: Buffer.from(text).toString('base64'), ...more };
  const source = { node: 'node-1', job, epoch: of, rank };
  await publishLog(world.bus, subjects.logs('node-1', job, of, rank), logMessageId(source, chunk), chunk);
};
const text = async (query = ''): Promise<string> => (await fetch(`${world.url}/v1/jobs/${job}/logs?${query}`, { headers: world.headers })).text();
const end = async (rank: number): Promise<void> => { for (const stream of ['stdout', 'stderr'] as const) await print(rank, 0, '', { stream, end: true }); };

it('shows what is there, by rank and by attempt', async () => {
  await print(0, 0, 'a\n');
  await print(1, 0, 'b\n');
  await print(0, 2, 'c\n');
  await print(0, 0, 'again\n', {}, '4294967298');
  expect(await text()).toBe('[0] a\n[1] b\n[0] c\n[0] again\n');
  expect(await text('rank=1')).toBe('[1] b\n');
  expect(await text(`rank=0&attempt=${epoch}`)).toBe('[0] a\n[0] c\n');
});

it('a job that printed nothing has empty logs, at once', async () => {
  expect(await text()).toBe('');
});

it('what was published twice is read once, and what is missing is told', async () => {
  await print(0, 0, 'one ');
  await print(0, 0, 'one two\n', { atMs: 1 }); // the same id: not stored
  await print(0, 2, 'e two\n');
  await print(0, 100, 'later\n');
  const all = await text();
  expect(all).toContain('[0] one two\n');
  expect(all).toContain('92 bytes of stdout are no longer kept');
  expect(all).toContain('[0] later\n');
});

it('binary output and escape sequences reach nobody as such, and a character may span two chunks', async () => {
  const euro = Buffer.from('€');
  await print(0, 0, Buffer.concat([Buffer.from('\u001b[2J\u0007'), Buffer.from([0xff, 0x00, 0x80]), euro.subarray(0, 1)]));
  await print(0, 9, Buffer.concat([euro.subarray(1), Buffer.from('\n')]));
  const shown = await text();
  expect(shown).toBe('[0] \\x1b[2J\\x07\ufffd\\x00\ufffd€\n');
});

it('follows until the job has ended and all is read, then ends by itself', async () => {
  await world.db.insertInto('attempt').values({ job_id: job, epoch: BigInt(epoch), members: 1 }).execute();
  const stream = await world.stream(`/v1/jobs/${job}/logs?follow=true`);
  await print(0, 0, 'first\n');
  expect((await stream.take(1)).map((message) => JSON.parse(message.data))).toMatchObject([{ rank: 0, stream: 'stdout', text: 'first\n', epoch, node: 'node-1' }]);
  await world.db.updateTable('job').set({ state: 'SUCCEEDED' }).where('id', '=', job).execute();
  await print(0, 6, 'last\n');
  await end(0);
  const rest = await stream.take(10);
  expect(rest.map((message) => message.event)).toEqual(['output', 'end']);
});

it('a follower that comes back reads on where it was', async () => {
  for (let n = 0; n < 5; n++) await print(0, n * 2, `${n}\n`);
  const first = await world.stream(`/v1/jobs/${job}/logs`);
  const [, second] = await first.take(2);
  first.close();
  const rest = await (await world.stream(`/v1/jobs/${job}/logs`, { 'last-event-id': second!.id! })).take(4);
  expect(rest.map((message) => (message.event === 'end' ? 'end' : JSON.parse(message.data).text))).toEqual(['2\n', '3\n', '4\n', 'end']);
});

it('chunks that are none of ours are skipped', async () => {
  await publishLog(world.bus, subjects.logs('node-1', job, epoch, 0), 'bad-1', { stream: 'stdin', offset: '0', atMs: 1, text: '' });
  await publishLog(world.bus, subjects.logs('node-1', job, epoch, 0), 'bad-2', 'text');
  await print(0, 0, 'good\n');
  expect(await text()).toBe('[0] good\n');
});

it('a foreign job is not found', async () => {
  const refusal = await world.stream(`/v1/jobs/${newId('job')}/logs`);
  expect([refusal.status, refusal.problem?.code]).toEqual([404, 'job_not_found']);
  expect((await world.stream('/v1/jobs/%3E/logs')).status).toBe(404);
});
