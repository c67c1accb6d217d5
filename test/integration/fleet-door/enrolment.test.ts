import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { credentialVersion, isCredentialInForce, revokeCredential } from '#services/fleet/credentials.ts';
import { createEnrolmentToken, enrol } from '#services/fleet/enrolment.ts';
import type { EnrolReply } from '#services/fleet/model.ts';
import { inTransaction } from '#services/platform/db.ts';
import { openWorld, type World } from '#test/setup/world.ts';

let world: World;
beforeAll(async () => { world = await openWorld(); });
afterAll(() => world.close());

const tokenFor = async (node?: string): Promise<string> => (await createEnrolmentToken(world.db, { ttlSeconds: 60, ...(node ? { node } : {}) })).token;
const ask = (node: string, token: string): Promise<EnrolReply> => inTransaction(world.db, (tx) => enrol(tx, { node, token }));

it('a token lets a node in once', async () => {
  const token = await tokenFor();
  expect(await ask('node-1', token)).toMatchObject({ ok: true, credentialVersion: 1 });
  expect(await ask('node-1', token)).toMatchObject({ ok: false, code: 'token_used' });
  expect(await ask('node-2', token)).toMatchObject({ ok: false, code: 'token_used' });
  expect(await world.db.selectFrom('node').select(['id', 'schedulable']).execute()).toEqual([{ id: 'node-1', schedulable: false }]);
});

it('two nodes with one token at once: one is in', async () => {
  const token = await tokenFor();
  const replies = await Promise.all(['race-1', 'race-2', 'race-3'].map((node) => ask(node, token)));
  expect(replies.filter((reply) => reply.ok)).toHaveLength(1);
  expect(replies.filter((reply) => !reply.ok).map((reply) => reply.ok || reply.code)).toEqual(['token_used', 'token_used']);
});

it('an unknown, an expired and another node\'s token are refused, and stay as they are', async () => {
  const expired = await tokenFor();
  await sql`update enrolment_token set expires_at = clock_timestamp() where used_at is null`.execute(world.db);
  expect(await ask('node-3', expired)).toMatchObject({ ok: false, code: 'token_expired' });
  expect(await ask('node-3', 'nonsense')).toMatchObject({ ok: false, code: 'token_unknown' });
  const others = await tokenFor('node-4');
  expect(await ask('node-3', others)).toMatchObject({ ok: false, code: 'node_mismatch' });
  expect(await ask('node-4', others)).toMatchObject({ ok: true });
});

it.each(['Node-1', 'a.b', '*', '>', '', '-a', 'a'.repeat(64), 'ä', 'a\n'])('%j is no name of a node, and its token stays unused', async (name) => {
  const token = await tokenFor();
  expect(await ask(name, token)).toMatchObject({ ok: false, code: 'invalid' });
  expect(await ask(`fine-${Buffer.from(name).toString('hex').slice(0, 8)}x`, token)).toMatchObject({ ok: true });
});

it('a token for any node takes over none that was enrolled before; one that names it does, and ends the old secret', async () => {
  const first = await ask('node-5', await tokenFor());
  const stranger = await tokenFor();
  expect(await ask('node-5', stranger)).toMatchObject({ ok: false, code: 'node_mismatch' });
  const second = await ask('node-5', await tokenFor('node-5'));
  expect(second).toMatchObject({ ok: true, credentialVersion: 2 });
  const [old, now] = [first, second].map((reply) => (reply.ok ? reply.secret : ''));
  expect(await isCredentialInForce(world.db, 'node-5', old!)).toBe(false);
  expect(await isCredentialInForce(world.db, 'node-5', now!)).toBe(true);
});

it('a revoked credential is worth nothing until the node is enrolled again', async () => {
  const reply = await ask('node-6', await tokenFor());
  await inTransaction(world.db, (tx) => revokeCredential(tx, 'node-6'));
  expect(await isCredentialInForce(world.db, 'node-6', reply.ok ? reply.secret : '')).toBe(false);
  expect(await credentialVersion(world.db, 'node-6')).toBeUndefined();
  await expect(inTransaction(world.db, (tx) => revokeCredential(tx, 'node-6'))).rejects.toMatchObject({ code: 'credential_absent' });
  expect(await ask('node-6', await tokenFor('node-6'))).toMatchObject({ ok: true, credentialVersion: 2 });
  expect(await credentialVersion(world.db, 'node-6')).toBe(2);
});

it('neither token nor secret stands in the database', async () => {
  const token = await tokenFor();
  const reply = await ask('node-7', token);
  const rows = JSON.stringify([
    await world.db.selectFrom('enrolment_token').selectAll().execute(), await world.db.selectFrom('node_credential').selectAll().execute(),
  ], (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString('utf8') : value));
  expect(rows).not.toContain(token);
  expect(rows).not.toContain(reply.ok ? reply.secret : '');
});
