import { connect, headers, type NatsConnection } from 'nats';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startAuthCallout } from '#services/fleet/auth-callout.ts';
import { revokeCredential } from '#services/fleet/credentials.ts';
import { createEnrolmentToken, enrol } from '#services/fleet/enrolment.ts';
import { answerEnrolments } from '#services/fleet/enrolment-service.ts';
import { subjects } from '#services/fleet/model.ts';
import { inTransaction } from '#services/platform/db.ts';
import { connectAgent, connectControl, type Bus } from '#services/platform/nats/bus.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { startNatsServer, type NatsServer } from './nats-server.ts';

let world: World;
let nats: NatsServer;
let control: Bus;
const closers: (() => Promise<unknown>)[] = [];
const perTest: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  [world, nats] = await Promise.all([openWorld(), startNatsServer()]);
  const config = { ...world.config, natsUrl: nats.url, natsUser: 'control', natsPassword: nats.password, natsIssuerSeed: nats.issuerSeed };
  const callout = await startAuthCallout(world.db, config, world.log);
  control = await connectControl(config, world.log, 'test');
  const enrolments = answerEnrolments(control, world.db, world.log);
  closers.push(() => callout.close(), () => enrolments.close(), () => control.close());
});
afterEach(async () => { for (const close of perTest.splice(0)) await close(); });
afterAll(async () => {
  for (const close of closers) await close();
  await Promise.all([nats?.stop(), world?.close()]);
});

/** One attempt to log in, without the retries of an agent. */
async function logIn(user: string, pass: string): Promise<NatsConnection> {
  const connection = await connect({ servers: nats.url, user, pass, inboxPrefix: subjects.inboxPrefix(user), reconnect: false });
  perTest.push(() => connection.close());
  return connection;
}

async function enrolled(node: string): Promise<string> {
  const { token } = await createEnrolmentToken(world.db, { node, ttlSeconds: 60 });
  const reply = await inTransaction(world.db, (tx) => enrol(tx, { node, token }));
  if (!reply.ok) throw new Error(reply.detail);
  return reply.secret;
}

const agentOf = async (node: string): Promise<NatsConnection> => logIn(node, `node:${await enrolled(node)}`);
const refused = /Authorization Violation/i;

describe('logins', () => {
  it('a node enrols over NATS with a token and comes back with its own credential', async () => {
    const { token } = await createEnrolmentToken(world.db, { ttlSeconds: 60 });
    const agent = await connectAgent({ url: nats.url, user: 'new-1', password: `enrol:${token}`, inboxPrefix: subjects.inboxPrefix('new-1'), name: 'new-1' }, world.log);
    perTest.push(() => agent.close());
    const reply = await agent.request(subjects.enrol('new-1'), { node: 'new-1', token }, 5_000) as { ok: true; secret: string };
    expect(reply).toMatchObject({ ok: true, credentialVersion: 1 });
    await expect(logIn('new-1', `node:${reply.secret}`)).resolves.toBeDefined();
  });

  it.each([
    ['a wrong token', 'node-a', 'enrol:nonsense'],
    ['a wrong secret', 'node-a', 'node:nonsense'],
    ['no password', 'node-a', ''],
    ['a password of no kind', 'node-a', 'control-secret'],
    ['a name that is no node\'s', 'node.a', 'node:nonsense'],
    ['a wildcard as a name', '>', 'node:nonsense'],
    ['the control plane\'s name', 'control', 'node:nonsense'],
  ])('%s is refused without saying why', async (_, user, password) => {
    await enrolled('node-a');
    await expect(logIn(user, password)).rejects.toThrow(refused);
  });

  it('the secret of another node is refused', async () => {
    const secret = await enrolled('node-b');
    await enrolled('node-c');
    await expect(logIn('node-c', `node:${secret}`)).rejects.toThrow(refused);
  });

  it('a token for another node is refused', async () => {
    const { token } = await createEnrolmentToken(world.db, { node: 'node-d', ttlSeconds: 60 });
    await expect(logIn('node-e', `enrol:${token}`)).rejects.toThrow(refused);
  });

  it('a revoked credential is refused, and one that a newer enrolment replaced', async () => {
    const first = await enrolled('node-f');
    const second = await enrolled('node-f');
    await expect(logIn('node-f', `node:${first}`)).rejects.toThrow(refused);
    await inTransaction(world.db, (tx) => revokeCredential(tx, 'node-f'));
    await expect(logIn('node-f', `node:${second}`)).rejects.toThrow(refused);
  });

  it('a login ends by itself and the agent comes back without being told', async () => {
    const config = { ...world.config, natsUrl: nats.url, natsUser: 'control', natsPassword: nats.password, natsIssuerSeed: nats.issuerSeed, agentLoginSeconds: 2 };
    await closers.shift()?.();
    const brief = await startAuthCallout(world.db, config, world.log);
    closers.unshift(() => brief.close());
    const connection = await connect({
      servers: nats.url, user: 'node-g', pass: `node:${await enrolled('node-g')}`, inboxPrefix: subjects.inboxPrefix('node-g'),
      maxReconnectAttempts: -1, reconnectTimeWait: 50, ignoreAuthErrorAbort: true,
    });
    perTest.push(() => connection.close());
    const seen: string[] = [];
    void (async () => { for await (const status of connection.status()) seen.push(status.type); })();
    await vi.waitFor(() => expect(seen).toEqual(expect.arrayContaining(['disconnect', 'reconnect'])), { timeout: 15_000 });
  }, 30_000);
});

describe('subjects of an agent', () => {
  it('its request is answered, and its nudge arrives', async () => {
    const agent = await agentOf('node-h');
    const beats = control.respond('agent.node-h.beat', async (value) => ({ heard: value }), { inFlightMax: 1, bytesMax: 1_000 });
    perTest.push(() => beats.close());
    const nudges: string[] = [];
    agent.subscribe(subjects.nudge('node-h'), { callback: (_, message) => { nudges.push(message.subject); } });
    await Promise.all([agent.flush(), control.flush()]);
    control.publish(subjects.nudge('node-h'), {});
    expect((await agent.request(subjects.beat('node-h'), '{"a":1}', { timeout: 5_000 })).json()).toEqual({ heard: { a: 1 } });
    await vi.waitFor(() => expect(nudges).toEqual([subjects.nudge('node-h')]));
  });

  it.each([
    ['beat', subjects.beat('node-i')], ['call', subjects.call('node-i')], ['enrolment', subjects.enrol('node-i')],
    ['logs', 'logs.node-i.job.1.0'], ['nudge', subjects.nudge('node-i')], ['inbox', '_INBOX_agent_node-i.x'],
    ['control plane\'s inbox', '_INBOX.x'], ['streams', '$JS.API.STREAM.NAMES'], ['logins', '$SYS.REQ.USER.AUTH'], ['events', 'events.job'],
    ['own nudge', subjects.nudge('node-j')],
  ])('it can\'t write another\'s: %s', async (_, subject) => {
    const agent = await agentOf('node-j');
    await expect(refusalOf(agent, () => agent.publish(subject, '{}'))).resolves.toBe('PERMISSIONS_VIOLATION');
  });

  it.each([
    ['beats', subjects.allBeats], ['nudges', subjects.allNudges], ['another\'s nudge', subjects.nudge('node-i')], ['everything', '>'],
    ['inboxes', '_INBOX.>'], ['another\'s inbox', '_INBOX_agent_node-i.>'], ['logins', '$SYS.REQ.USER.AUTH'], ['its own beat', subjects.beat('node-k')],
  ])('it can\'t read: %s', async (_, subject) => {
    const agent = await agentOf('node-k');
    await expect(refusalOf(agent, () => void agent.subscribe(subject, { callback: () => {} }))).resolves.toBe('PERMISSIONS_VIOLATION');
  });

  it('an enrolment login can do nothing but ask', async () => {
    const { token } = await createEnrolmentToken(world.db, { node: 'node-l', ttlSeconds: 60 });
    const login = await logIn('node-l', `enrol:${token}`);
    await expect(refusalOf(login, () => login.publish(subjects.beat('node-l'), '{}'))).resolves.toBe('PERMISSIONS_VIOLATION');
  });

  it('log chunks reach the stream and are acknowledged, though the agent has no JetStream', async () => {
    const admin = await connect({ servers: nats.url, user: 'control', pass: nats.password });
    perTest.push(() => admin.close());
    const manager = await admin.jetstreamManager();
    await manager.streams.add({ name: 'LOGS', subjects: ['logs.>'] });
    const agent = await agentOf('node-m');
    const chunk = headers();
    chunk.set('Nats-Msg-Id', 'chunk-1');
    const acknowledged = async () => (await agent.request(subjects.logs('node-m', 'job_x', '1', 0), 'line', { timeout: 5_000, headers: chunk })).json();
    expect(await acknowledged()).toMatchObject({ stream: 'LOGS', seq: 1 });
    expect(await acknowledged()).toMatchObject({ stream: 'LOGS', seq: 1, duplicate: true });
    expect((await manager.streams.info('LOGS')).state.messages).toBe(1);
  });

  it('no reply subject of its choice makes the control plane or JetStream write there', async () => {
    const admin = await connect({ servers: nats.url, user: 'control', pass: nats.password });
    perTest.push(() => admin.close());
    const manager = await admin.jetstreamManager();
    await manager.streams.add({ name: 'VICTIM', subjects: ['victim'] });
    const heard: string[] = [];
    admin.subscribe('victim', { callback: (_, message) => { heard.push(message.string()); } });
    const beats = control.respond('agent.node-n.beat', async () => ({}), { inFlightMax: 1, bytesMax: 1_000 });
    perTest.push(() => beats.close());
    const agent = await agentOf('node-n');
    await Promise.all([admin.flush(), control.flush()]);
    agent.publish(subjects.beat('node-n'), '{}', { reply: 'victim' });
    agent.publish(subjects.beat('node-n'), '{}', { reply: '$JS.API.STREAM.DELETE.VICTIM' });
    agent.publish(subjects.logs('node-n', 'job_x', '1', 0), '{}', { reply: 'victim' });
    await agent.request(subjects.beat('node-n'), '{}', { timeout: 5_000 });
    await admin.flush();
    expect(heard).toEqual([]);
    await expect(manager.streams.info('VICTIM')).resolves.toBeDefined();
  });
});

/** Code of the error that the server sends after `act`; it sends it before it answers a flush. */
async function refusalOf(connection: NatsConnection, act: () => void): Promise<string | undefined> {
  const codes: string[] = [];
  void (async () => { for await (const status of connection.status()) if (status.type === 'error') codes.push(String(status.data)); })();
  act();
  await connection.flush();
  await vi.waitFor(() => expect(codes).not.toEqual([]), { timeout: 2_000 });
  return codes[0];
}
