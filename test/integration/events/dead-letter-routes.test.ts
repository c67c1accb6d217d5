/** /v1/dead-letters: an operator sees what failed and has it handled again. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putAside } from '#services/events/dead-letters.ts';
import { toMessage } from '#services/events/message.ts';
import { jobEventOf } from '#test/setup/events.ts';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeEach(async () => {
  api = await openApiWorld();
  for (const pos of [1n, 2n, 3n]) {
    await putAside(api.db, { consumer: 'dispatcher', message: toMessage({ ...jobEventOf(`job_${pos}`, 1n), pos, createdAt: new Date() }, 1), error: 'broken', deliveries: 8 });
  }
});
afterEach(() => api.close());

it('lists them newest first, by page and by state', async () => {
  const first = await api.get('/v1/dead-letters?page_size=2');
  const second = await api.get(`/v1/dead-letters?page_size=2&page_token=${first.body.next_page_token}`);
  expect([...first.body.items, ...second.body.items].map((letter: { pos: string }) => letter.pos)).toEqual(['3', '2', '1']);
  expect(second.body.next_page_token).toBeNull();
  expect(first.body.items[0]).toMatchObject({ consumer: 'dispatcher', state: 'DEAD', error: 'broken', deliveries: 8, key: 'job/job_3', redrivenAt: null });
  expect((await api.get('/v1/dead-letters?state=REDRIVEN')).body.items).toEqual([]);
});

it('redrive is visible at once, and told twice it is one', async () => {
  const { id } = (await api.get('/v1/dead-letters')).body.items[0];
  const redriven = await api.post(`/v1/dead-letters/${id}/redrive`);
  expect([redriven.status, redriven.body.state]).toEqual([202, 'REDRIVEN']);
  expect((await api.post(`/v1/dead-letters/${id}/redrive`)).body.redrivenAt).toBe(redriven.body.redrivenAt);
  expect((await api.get('/v1/dead-letters?state=REDRIVEN')).body.items).toHaveLength(1);
});

it('one that is not there is not found, whatever its id looks like', async () => {
  for (const id of ['dead_00000000000000000000000000', 'x', '%00', '..%2F..']) expect((await api.post(`/v1/dead-letters/${id}/redrive`)).status).toBe(404);
});

it('the same event put aside again is still one dead letter', async () => {
  await putAside(api.db, { consumer: 'dispatcher', message: toMessage({ ...jobEventOf('job_1', 1n), pos: 1n, createdAt: new Date() }, 1), error: 'again', deliveries: 9 });
  expect((await api.get('/v1/dead-letters')).body.items).toHaveLength(3);
});
