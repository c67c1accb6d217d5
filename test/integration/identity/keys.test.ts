import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { onCluster, onOrg, onTeam, openTenants, type Tenants } from './tenants.ts';

let world: Tenants;
beforeAll(async () => { world = await openTenants(); });
afterAll(() => world.close());

const works = async (key: string): Promise<boolean> => (await world.as(key, 'GET', '/v1/jobs')).status === 200;
const made = async (by: string, body: object) => (await world.as(by, 'POST', '/v1/keys', { name: 'made', role: 'member', ...body }));

describe('keys', () => {
  it('are made, shown once, listed without their secret, and work', async () => {
    const answer = await made(world.key, { team: 'a1' });
    expect(answer.status).toBe(201);
    expect(await works(answer.body.key)).toBe(true);
    const secret = answer.body.key.split('.')[1] as string;
    const [one, list] = [await world.get(`/v1/keys/${answer.body.id}`), await world.get('/v1/keys?page_size=200')];
    expect(one.body).toMatchObject({ id: answer.body.id, team: 'a1', scopes: ['*'], revokedAt: null });
    expect(JSON.stringify([one.body, list.body])).not.toContain(secret);
  });

  it('rotated with an overlap both secrets work, until the old one ends', async () => {
    const { id, key } = (await made(world.key, { team: 'a1' })).body;
    const next = await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 2 });
    expect(next.body.previousValidUntil).not.toBeNull();
    expect([await works(key), await works(next.body.key)]).toEqual([true, true]);
    await vi.waitFor(async () => expect(await works(key)).toBe(false), { timeout: 10_000, interval: 100 });
    expect(await works(next.body.key)).toBe(true);
  });

  it('rotated without an overlap the old secret ends at once; rotated twice the first one does', async () => {
    const { id, key } = (await made(world.key, { team: 'a1' })).body;
    const second = (await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 })).body.key as string;
    const third = (await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 })).body.key as string;
    expect([await works(key), await works(second), await works(third)]).toEqual([false, true, true]);
    const fourth = (await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 0 })).body.key as string;
    expect([await works(second), await works(third), await works(fourth)]).toEqual([false, false, true]);
  });

  it('revoked both secrets end, and it can not be rotated back', async () => {
    const { id, key } = (await made(world.key, { team: 'a1' })).body;
    const next = (await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 600 })).body.key as string;
    expect((await world.post(`/v1/keys/${id}/revoke`)).body.revokedAt).not.toBeNull();
    expect([await works(key), await works(next)]).toEqual([false, false]);
    expect((await world.post(`/v1/keys/${id}/rotate`, { overlapSeconds: 0 })).body.code).toBe('key_revoked');
  });

  it('end when they expire', async () => {
    const { key } = (await made(world.key, { team: 'a1', expiresAt: new Date(Date.now() + 1_500).toISOString() })).body;
    expect(await works(key)).toBe(true);
    await delay(1_500);
    await vi.waitFor(async () => expect(await works(key)).toBe(false));
    expect((await made(world.key, { team: 'a1', expiresAt: '2001-01-01T00:00:00Z' })).status).toBe(400);
  });
});

describe('nobody hands on more than he has', () => {
  it('an admin of a team makes keys of his team and of nothing else', async () => {
    const admin = await world.keyOf('admin', onTeam(world.teams.a1));
    expect((await made(admin, { team: 'a1', role: 'admin' })).status).toBe(201);
    expect((await made(admin, { org: 'a' })).status).toBe(403);
    expect((await made(admin, { org: 'b' })).status).toBe(404);
    expect((await made(admin, { team: 'b1' })).status).toBe(404);
    expect((await made(admin, {})).status).toBe(403);
    expect((await made(await world.keyOf('operator', onTeam(world.teams.a1)), { team: 'a1' })).status).toBe(403);
  });

  it('a narrowed admin key makes no wider key, binds no wider role, rotates no wider key', async () => {
    const narrow = await world.keyOf('admin', onTeam(world.teams.a1), { scopes: ['keys:*', 'bindings:*', 'jobs:read'] });
    expect((await made(narrow, { team: 'a1', role: 'member' })).status).toBe(403);
    expect((await made(narrow, { team: 'a1', role: 'member', scopes: ['jobs:read'] })).status).toBe(201);
    const other = (await made(world.key, { team: 'a1', role: 'member' })).body;
    expect((await world.as(narrow, 'POST', `/v1/keys/${other.id}/rotate`, { overlapSeconds: 0 })).status).toBe(403);
    expect((await world.as(narrow, 'POST', '/v1/bindings', { principal: { kind: 'key', id: other.id }, role: 'admin', team: 'a1' })).status).toBe(403);
  });

  it('an admin of the team can not rotate a key of the team that was given a role elsewhere', async () => {
    const key = (await made(world.key, { team: 'a1' })).body;
    await world.post('/v1/bindings', { principal: { kind: 'key', id: key.id }, role: 'member', team: 'b1' });
    const admin = await world.keyOf('admin', onTeam(world.teams.a1));
    expect((await world.as(admin, 'POST', `/v1/keys/${key.id}/rotate`, { overlapSeconds: 0 })).status).toBe(403);
    expect((await world.as(admin, 'POST', `/v1/keys/${key.id}/revoke`)).status).toBe(200);
  });

  it('a foreign key is 404, whatever is asked of it', async () => {
    const foreign = (await made(world.key, { team: 'b1' })).body;
    const admin = await world.keyOf('admin', onOrg(world.teams.a1));
    for (const [method, rest, body] of [['GET', '', undefined], ['POST', '/rotate', { overlapSeconds: 0 }], ['POST', '/revoke', {}]] as const) {
      expect((await world.as(admin, method, `/v1/keys/${foreign.id}${rest}`, body)).status).toBe(404);
    }
    expect((await world.as(admin, 'POST', '/v1/bindings', { principal: { kind: 'key', id: foreign.id }, role: 'viewer', team: 'a1' })).status).toBe(404);
    const binding = (await world.get('/v1/bindings?page_size=200')).body.items.find((each: { principal: { id: string } }) => each.principal.id === foreign.id);
    expect((await world.as(admin, 'DELETE', `/v1/bindings/${binding.id}`)).status).toBe(404);
  });

  it('a role is replaced on its target, taken away, and acts at the next request', async () => {
    const { id, key } = (await made(world.key, { team: 'a1' })).body;
    const principal = { kind: 'key', id };
    const binding = await world.post('/v1/bindings', { principal, role: 'viewer', team: 'a1' });
    expect([binding.status, (await world.as(key, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'a1' })).status]).toEqual([201, 403]);
    expect((await world.as(world.key, 'DELETE', `/v1/bindings/${binding.body.id}`)).status).toBe(200);
    expect((await world.as(key, 'GET', '/v1/jobs')).status).toBe(403);
  });
});

it('the last admin of the cluster can neither be unbound nor revoked', async () => {
  const alone = await openTenants();
  const keys = (await alone.get('/v1/keys')).body.items as { id: string; team: string | null }[];
  expect((await alone.post(`/v1/keys/${keys[0]?.id}/revoke`)).body.code).toBe('last_admin');
  const second = await alone.keyOf('admin', onCluster);
  expect((await alone.as(second, 'POST', `/v1/keys/${keys[0]?.id}/revoke`)).status).toBe(200);
  await alone.close();
});
