import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiWorld, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
afterAll(() => api.close());

it('the team of jobs without one is there from the start', async () => {
  expect((await api.get('/v1/teams')).body).toMatchObject({ items: [{ name: 'default' }], next_page_token: null });
});

it('a team is created once', async () => {
  expect((await api.post('/v1/teams', { name: 'red' })).body).toMatchObject({ name: 'red', id: expect.stringMatching(/^team_/) });
  expect((await api.post('/v1/teams', { name: 'red' })).body).toMatchObject({ status: 409, code: 'team_exists', errors: [{ pointer: '/name' }] });
});

it('teams are listed by name, page by page', async () => {
  for (const name of ['c', 'a', 'b']) await api.post('/v1/teams', { name });
  const first = (await api.get('/v1/teams?page_size=2')).body;
  const second = (await api.get(`/v1/teams?page_size=2&page_token=${first.next_page_token}`)).body;
  expect([...first.items, ...second.items].map((team: { name: string }) => team.name)).toEqual(['a', 'b', 'c', 'default']);
});

it.each(['', ' ', 'a b', '../x', 'x'.repeat(65), 'ä', '-a', 7, null])('%j is no name', async (name) => {
  expect((await api.post('/v1/teams', { name })).body).toMatchObject({ status: 400, errors: [{ pointer: '/name' }] });
});
