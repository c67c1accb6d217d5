import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startAuthCallout } from '#services/fleet/auth-callout.ts';
import { answerCalls } from '#services/fleet/calls.ts';
import { createEnrolmentToken, enrol } from '#services/fleet/enrolment.ts';
import { subjects } from '#services/fleet/model.ts';
import type { Config } from '#services/platform/config.ts';
import { inTransaction, openDb } from '#services/platform/db.ts';
import { connectAgent, connectControl, type Bus } from '#services/platform/nats/bus.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { startNatsServer, type NatsServer } from '#test/integration/fleet-door/nats-server.ts';

let world: World;
let nats: NatsServer;
let config: Config;
beforeAll(async () => {
  [world, nats] = await Promise.all([openWorld(), startNatsServer()]);
  config = { ...world.config, natsUrl: nats.url, natsUser: 'control', natsPassword: nats.password, natsIssuerSeed: nats.issuerSeed, agentLoginSeconds: 2 };
});
afterAll(async () => { await Promise.all([nats?.stop(), world?.close()]); });

async function agentOptions(node: string) {
  const { token } = await createEnrolmentToken(world.db, { node, ttlSeconds: 60 });
  const reply = await inTransaction(world.db, (tx) => enrol(tx, { node, token }));
  return { url: nats.url, user: node, password: `node:${reply.ok ? reply.secret : ''}`, inboxPrefix: subjects.inboxPrefix(node), name: node };
}

const isAnswered = async (agent: Bus, node: string): Promise<void> => { await agent.request(subjects.call(node), {}, 1_000); };

it('an agent whose login ends while nobody lets it in comes back when somebody does', async () => {
  const control = await connectControl(config, world.log, 'test');
  const calls = answerCalls(control, world.db, config, world.log);
  let logins = await startAuthCallout(world.db, config, world.log);
  const agent = await connectAgent(await agentOptions('node-1'), world.log);
  try {
    await vi.waitFor(() => isAnswered(agent, 'node-1'), { timeout: 5_000 });
    await logins.close();
    await vi.waitFor(() => expect(agent.connected()).toBe(false), { timeout: 10_000 });
    logins = await startAuthCallout(world.db, config, world.log);
    await vi.waitFor(() => isAnswered(agent, 'node-1'), { timeout: 20_000 });
  } finally {
    await agent.close();
    await calls.close();
    await logins.close();
    await control.close();
  }
}, 60_000);

it('without its database the door lets nobody in, and works again when it is back', async () => {
  const away = openDb({ ...config, databaseUrl: 'postgres://muster@127.0.0.1:1/muster' }, world.log, 'test');
  const broken = await startAuthCallout(away, config, world.log);
  const ended = new AbortController();
  const options = await agentOptions('node-2');
  await expect(connectAgent({ ...options, signal: (setTimeout(() => ended.abort(), 500), ended.signal) }, world.log)).rejects.toThrow();
  await broken.close();
  await away.destroy();
  const logins = await startAuthCallout(world.db, config, world.log);
  const agent = await connectAgent(options, world.log);
  expect(agent.connected()).toBe(true);
  await agent.close();
  await logins.close();
}, 60_000);

it('a call that meets no database is unavailable, and may be repeated', async () => {
  const control = await connectControl(config, world.log, 'test');
  const away = openDb({ ...config, databaseUrl: 'postgres://muster@127.0.0.1:1/muster' }, world.log, 'test');
  const calls = answerCalls(control, away, config, world.log);
  const call = { op: 'shards', credentialVersion: 1, member: { job: `job_${'0'.repeat(26)}`, epoch: '1', rank: 0 }, step: 1, files: [{ path: 'x', bytes: '1', sha256: '0'.repeat(64) }] };
  await control.flush();
  expect(await control.request(subjects.call('node-1'), call, 5_000)).toMatchObject({ ok: false, code: 'unavailable' });
  await calls.close();
  await away.destroy();
  await control.close();
});
