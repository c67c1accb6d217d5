import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
const submit = async (more: object = {}): Promise<string> => (await api.post('/v1/jobs', { ...smallJob, ...more })).body.id as string;
beforeAll(async () => {
  api = await openApiWorld();
  await api.post('/v1/teams', { name: 'red' });
});
afterAll(() => api.close());

const ids = (answer: { body: { items: { id: string }[] } }): string[] => answer.body.items.map((job) => job.id);

async function allPages(query: string, betweenPages: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const found: string[] = [];
  for (let token: string | null = ''; token !== null;) {
    const page = await api.get(`/v1/jobs?page_size=3&${query}${token === '' ? '' : `&page_token=${token}`}`);
    expect(page.status).toBe(200);
    found.push(...ids(page));
    token = page.body.next_page_token as string | null;
    await betweenPages();
  }
  return found;
}

it('pages go through all jobs once, newest first, whatever is submitted meanwhile', async () => {
  const submitted: string[] = [];
  for (let count = 0; count < 10; count++) submitted.push(await submit({ name: 'paged' }));
  const listed = await allPages('name=paged', () => submit({ name: 'paged' }));
  expect(listed).toEqual(submitted.toReversed());
});

it('jobs of one microsecond are paged by id', async () => {
  const submitted = await Promise.all(Array.from({ length: 8 }, () => submit({ name: 'same' })));
  await api.db.updateTable('job').set({ submitted_at: new Date('2026-01-01T00:00:00Z') }).where('name', '=', 'same').execute();
  expect(await allPages('name=same')).toEqual(submitted.toSorted().toReversed());
});

it('filters by state, team, name and labels, all of which must hold', async () => {
  const red = await submit({ team: 'red', name: 'filtered', labels: { run: '1', kind: 'a=b' } });
  const other = await submit({ name: 'filtered', labels: { run: '1' } });
  await api.post(`/v1/jobs/${other}/cancel`);
  expect(ids(await api.get('/v1/jobs?team=red'))).toEqual([red]);
  expect(ids(await api.get('/v1/jobs?name=filtered&state=CANCELLED'))).toEqual([other]);
  expect(ids(await api.get('/v1/jobs?name=filtered&state=CANCELLED&state=QUEUED'))).toEqual([other, red]);
  expect(ids(await api.get('/v1/jobs?label=run%3D1'))).toEqual([other, red]);
  expect(ids(await api.get('/v1/jobs?label=run%3D1&label=kind%3Da%3Db'))).toEqual([red]);
  expect(ids(await api.get('/v1/jobs?label=run%3D2'))).toEqual([]);
  expect((await api.get('/v1/jobs?team=blue')).body).toMatchObject({ status: 404, code: 'team_not_found' });
});

it('a page token belongs to its filters', async () => {
  const { body } = await api.get('/v1/jobs?page_size=1&name=paged');
  expect((await api.get(`/v1/jobs?page_size=1&name=same&page_token=${body.next_page_token}`)).body.code).toBe('invalid_cursor');
});
