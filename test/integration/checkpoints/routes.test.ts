import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#services/platform/ids.ts';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';
import { epoch1, insertGang, insertNodes, publish, shard } from './gang.ts';

let api: ApiWorld;
let job: string;
const ids: string[] = [];
beforeAll(async () => {
  api = await openApiWorld();
  await insertNodes(api.db, 2);
  job = await insertGang(api.db, 2);
  for (const step of [10, 20, 30]) ids.push(await publish(api.db, api.config, { job, epoch: epoch1, step }, 2));
});
afterAll(() => api.close());

it('lists manifests newest first, by pages, and marks the one that a restart gets', async () => {
  const first = await api.get(`/v1/jobs/${job}/checkpoints?page_size=2`);
  expect(first.body.items).toMatchObject([{ id: ids[2], step: '30', isCurrent: true, state: 'COMMITTED', bytes: '2048', shards: 2 }, { id: ids[1], step: '20', isCurrent: false }]);
  const second = await api.get(`/v1/jobs/${job}/checkpoints?page_size=2&page_token=${first.body.next_page_token}`);
  expect(second.body).toMatchObject({ items: [{ id: ids[0], layout: { ranks: 2 }, dataPosition: { sample: 10 }, epoch: String(epoch1) }], next_page_token: null });
});

it('shows one with its files', async () => {
  const { body } = await api.get(`/v1/jobs/${job}/checkpoints/${ids[1]}`);
  expect(body.files).toEqual([0, 1].map((rank) => ({ rank, node: `node-${rank}`, ...shard(20, rank) })));
});

it.each([
  ['a foreign job', () => `/v1/jobs/${newId('job')}/checkpoints`, 'job_not_found'],
  ['no job id', () => '/v1/jobs/x/checkpoints', 'job_not_found'],
  ['a checkpoint of no job', () => `/v1/jobs/${job}/checkpoints/${newId('ckpt')}`, 'checkpoint_not_found'],
  ['a path', () => `/v1/jobs/${job}/checkpoints/..%2f..%2fetc`, 'checkpoint_not_found'],
  ['a foreign page token', () => `/v1/jobs/${job}/checkpoints?page_token=x`, 'invalid_cursor'],
])('answers %s with its own problem', async (_, url, code) => {
  expect((await api.get(url())).body.code).toBe(code);
});
