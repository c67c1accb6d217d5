import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '#services/platform/db.ts';
import { forgetOldKeys, storedAnswer } from '#services/platform/idempotency.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
afterAll(() => api.close());

const submit = (key: string, body: object = smallJob, headers = {}) => api.post('/v1/jobs', body, { 'idempotency-key': key, ...headers });
const jobsNamed = (name: string) => api.db.selectFrom('job').select('id').where('name', '=', name).execute();

it('the same request with its key is one job and one answer', async () => {
  const first = await submit('a', { ...smallJob, name: 'once' });
  const second = await submit('a', { ...smallJob, name: 'once' });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
  expect(second.headers['location']).toBe(first.headers['location']);
  expect(await jobsNamed('once')).toHaveLength(1);
});

it('the answer of then is replayed, though the job has changed since', async () => {
  const first = await submit('then', { ...smallJob, name: 'then' });
  await api.post(`/v1/jobs/${first.body.id}/cancel`);
  expect((await submit('then', { ...smallJob, name: 'then' })).body.state).toBe('QUEUED');
});

it('another request with the key is refused', async () => {
  await submit('b');
  const answer = await submit('b', { ...smallJob, members: 2 });
  expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_reused']);
});

it('a refused request leaves its key free', async () => {
  expect((await submit('c', { ...smallJob, team: 'nobody' })).status).toBe(400);
  expect((await submit('c', { ...smallJob })).status).toBe(201);
});

it('keys of two callers are apart', async () => {
  const other = await createApiKey(api.db, { name: 'other', scopes: ['*'] });
  const first = await submit('d');
  const second = await submit('d', smallJob, { authorization: `Bearer ${other}` });
  expect(second.status).toBe(201);
  expect(second.body.id).not.toBe(first.body.id);
});

it('while a request is under way its repetition is told to come again', async () => {
  const owner = (api.key.split('.')[0] ?? '').slice('mk_'.length);
  await inTransaction(api.db, async (tx) => {
    await storedAnswer(tx, { owner, key: 'e', sha256: Buffer.alloc(32) }, 48);
    const answer = await submit('e');
    expect([answer.status, answer.body.code, answer.body.retryable]).toEqual([409, 'idempotency_in_flight', true]);
  });
});

it('twenty at once are one job', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => submit('f', { ...smallJob, name: 'twenty' })));
  expect(new Set(answers.map((answer) => answer.status))).toSatisfy((statuses: Set<number>) => [...statuses].every((status) => status === 201 || status === 409));
  expect(await jobsNamed('twenty')).toHaveLength(1);
});

it('cancel, told twice with one key, is one cancel', async () => {
  const job = (await submit('g')).body.id as string;
  const [first, second] = [await api.post(`/v1/jobs/${job}/cancel`, {}, { 'idempotency-key': 'g2' }), await api.post(`/v1/jobs/${job}/cancel`, {}, { 'idempotency-key': 'g2' })];
  expect(second.body).toEqual(first.body);
});

it('a key that is no key is refused', async () => {
  for (const key of ['', 'a b', 'x'.repeat(256)]) expect((await submit(key)).status).toBe(400);
});

it('old keys are forgotten', async () => {
  await submit('h');
  await sql`update idempotency_key set created_at = created_at - interval '49 hours' where key = 'h'`.execute(api.db);
  expect(await forgetOldKeys(api.db, 48, 100)).toBe(1);
  expect((await submit('h')).headers['idempotency-replayed']).toBeUndefined();
});
