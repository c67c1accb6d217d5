/** Secrets and credentials on the whole control plane: what a job gets of them, and where nothing of them may ever be. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { connect as connectNats, type NatsConnection } from 'nats';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '#services/cli/client.ts';
import type { Environment } from '#services/platform/config.ts';
import { jobWorkflowId } from '#services/jobs/model.ts';
import { startNatsServer } from '../integration/fleet-door/nats-server.ts';
import { openWorld } from '../setup/world.ts';
import { Fleet, openTimeoutMs, roleNames, untilOpen } from './fleet.ts';
import { until } from './until.ts';

const secretKey = Buffer.from('planted-key-of-the-job-secrets-!').toString('base64url');
const secretValue = 'planted-"value"-of-a-secret-8Qz';
const planted = new Map<string, string>([
  ['key of the job secrets', secretKey], ['job secret', secretValue], ['job secret in JSON', JSON.stringify(secretValue).slice(1, -1)],
]);

let nats: Awaited<ReturnType<typeof startNatsServer>>;
let fleet: Fleet;
beforeAll(async () => {
  const world = await openWorld();
  nats = await startNatsServer();
  const { MUSTER_NATS_PASSWORD_FILE: _password, MUSTER_NATS_ISSUER_SEED_FILE: _seed, ...rest } = world.env;
  const env: Environment = { ...rest, MUSTER_NATS_URL: nats.url, MUSTER_NATS_PASSWORD: nats.password, MUSTER_NATS_ISSUER_SEED: nats.issuerSeed };
  fleet = await Fleet.open({
    nodes: 2, apart: true, settings: { MUSTER_SECRET_KEY: secretKey, MUSTER_LOG_LEVEL: 'debug' },
    services: { env, close: async () => { await nats.stop(); await world.close(); } },
  });
  planted.set('database password', new URL(fleet.config.databaseUrl).password);
  planted.set('API key', fleet.connection.key.split('.')[1] ?? '');
  planted.set('password of the control plane at NATS', nats.password);
  planted.set('issuer seed', nats.issuerSeed);
}, openTimeoutMs);
afterAll(() => fleet?.close());
afterEach((context) => fleet.settle(context));

const putSecret = (value: string) => ask(fleet.api.PUT('/v1/teams/{team}/secrets/{secret}', { params: { path: { team: 'default', secret: 'wandb' } }, body: { value } }));
const credentialOf = (node: string) => JSON.parse(readFileSync(path.join(fleet.dataDir(node), 'credential.json'), 'utf8')) as { secret: string; credentialVersion: number };
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('secrets of jobs', () => {
  it('are in the environment of each member, in no file of the agent and in no answer', async () => {
    await putSecret(secretValue);
    const gate = fleet.gate();
    const id = await fleet.submit({ members: 2, argv: untilOpen(gate, 'printf %s "$WANDB_API_KEY" | sha256sum;'), secrets: { WANDB_API_KEY: 'wandb' } });
    await fleet.state(id, 'RUNNING');
    for (const node of ['n1', 'n2']) expect(filesWith(fleet.dataDir(node), secretValue)).toEqual([]);
    expect(JSON.stringify([await fleet.job(id), await fleet.attempts(id)])).not.toContain(secretValue);
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    await until('both ranks to have printed', async () => (await fleet.logs(id)).split(digest(secretValue)).length === 3);
  });

  it('a job that names one that is not there, or one of Muster\'s variables, is refused', async () => {
    const refused = async (secrets: Record<string, string>) => (await fleet.api.POST('/v1/jobs', { body: { name: 'x', argv: ['true'], env: { TWICE: '1' }, secrets } })).error;
    expect(await refused({ A: 'absent' })).toMatchObject({ errors: [{ pointer: '/secrets/A' }] });
    expect(await refused({ MUSTER_JOB: 'wandb' })).toMatchObject({ errors: [{ pointer: '/secrets/MUSTER_JOB' }] });
    expect(await refused({ TWICE: 'wandb' })).toMatchObject({ errors: [{ pointer: '/secrets/TWICE' }] });
  });

  it('stay while a job that has not ended names them', async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate), secrets: { A: 'wandb' } });
    const remove = () => fleet.api.DELETE('/v1/teams/{team}/secrets/{secret}', { params: { path: { team: 'default', secret: 'wandb' } } });
    expect((await remove()).error).toMatchObject({ code: 'secret_in_use' });
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    expect((await remove()).response.status).toBe(204);
    await putSecret(secretValue);
  });
});

describe('the credential of a node', () => {
  it('is replaced over the connection that it has, while its members run on; the old secret ends', async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate) });
    await fleet.state(id, 'RUNNING');
    const pid = Math.min(...fleet.programs({ job: id }).map((process) => process.pid)); // its `sleep`s come and go
    const node = (await fleet.attempt(id)).members[0]?.node ?? '';
    const before = credentialOf(node);
    await ask(fleet.api.POST('/v1/nodes/{node}/rotate-credential', { params: { path: { node } }, body: { reason: 'yearly' } }));
    const row = () => fleet.db.selectFrom('node_credential').selectAll().where('node_id', '=', node).executeTakeFirstOrThrow();
    await until('the new version in force', async () => (await row()).version === before.credentialVersion + 1);
    const after = credentialOf(node);
    planted.set('secret of a node', after.secret);
    planted.set('secret of a node before its rotation', before.secret);
    expect(after).toMatchObject({ credentialVersion: before.credentialVersion + 1 });
    expect((await row()).secret_sha256.toString('hex')).toBe(digest(after.secret));
    expect(existsSync(path.join(fleet.dataDir(node), 'credential-next.json'))).toBe(false);
    expect([await logsIn(node, before.secret), await logsIn(node, after.secret)]).toEqual([false, true]);
    expect(fleet.programs({ job: id }).map((process) => process.pid)).toContain(pid);
    await fleet.agent(node).kill();
    await fleet.startAgent(node);
    await fleet.ready(2);
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
  });

  it('one that was ordered while its agent was killed is replaced when it is back', async () => {
    const before = credentialOf('n2');
    await fleet.agent('n2').kill();
    await ask(fleet.api.POST('/v1/nodes/{node}/rotate-credential', { params: { path: { node: 'n2' } }, body: { reason: 'yearly' } }));
    await fleet.startAgent('n2');
    await until('the new credential', async () => credentialOf('n2').credentialVersion === before.credentialVersion + 1);
    await fleet.ready(2);
  });
});

describe('nothing that was planted is found', () => {
  it('as an empty text, which would be everywhere', () => {
    for (const [name, value] of planted) expect([name, value.length >= 12]).toEqual([name, true]);
  });

  it('in error bodies', async () => {
    const bodies: string[] = [];
    const send = async (method: string, url: string, body: string, key = fleet.connection.key) => {
      const answer = await fetch(new URL(url, fleet.connection.url), { method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      bodies.push(await answer.text());
    };
    const url = '/v1/teams/default/secrets/wandb';
    await send('PUT', url, JSON.stringify({ value: `${secretValue}\u0007` }));
    await send('PUT', url, JSON.stringify({ value: [secretValue] }));
    await send('PUT', url, JSON.stringify({ value: 'x', secretValue: '', other: secretValue }));
    await send('PUT', url, JSON.stringify(secretValue));
    await send('PUT', url, `{"value": ${secretValue}}`);
    await send('PUT', url, `{"value": "${'x'.repeat(100)}${secretValue}`);
    await send('PUT', '/v1/teams/nobody/secrets/wandb', JSON.stringify({ value: secretValue }));
    await send('PUT', url, JSON.stringify({ value: secretValue }), `${fleet.connection.key}x`);
    expect(foundIn(bodies.join('\n'))).toEqual([]);
  });

  it('in the logs of any role or agent', () => {
    for (const part of [...roleNames.map((name) => fleet.role(name)), fleet.agent('n1'), fleet.agent('n2')]) expect([part.name, foundIn(part.log)]).toEqual([part.name, []]);
  });

  it('in the arguments of any process', () => {
    const lines = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).map((pid) => commandOf(pid));
    expect(lines.some((line) => line.includes('services/roles/api.ts'))).toBe(true);
    expect(foundIn(lines.join('\n'))).toEqual([]);
  });

  it('in any table', async () => {
    const { rows: tables } = await sql<{ name: string }>`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(fleet.db);
    expect(tables.map((table) => table.name)).toEqual(expect.arrayContaining(['outbox', 'job', 'job_secret', 'idempotency_key', 'audit']));
    for (const { name } of tables) {
      const { rows } = await sql<{ row: string }>`select ${sql.table(name)}::text as row from ${sql.table(name)}`.execute(fleet.db);
      expect([name, foundIn(rows.map(({ row }) => row).join('\n'))]).toEqual([name, []]);
    }
  });

  it('in any message that NATS keeps', async () => {
    const control = await connectNats({ servers: nats.url, user: 'control', pass: nats.password });
    const kept = await messagesOf(control);
    await control.close();
    expect(kept.length).toBeGreaterThan(10);
    expect(foundIn(kept.join('\n'))).toEqual([]);
  });

  it('in any history of Temporal', async () => {
    const connection = await Connection.connect({ address: fleet.config.temporalAddress });
    const client = new Client({ connection, namespace: fleet.config.temporalNamespace });
    const jobs = await fleet.db.selectFrom('job').select('id').execute();
    const histories: string[] = [];
    for (const { id } of jobs) histories.push(textOf(await client.workflow.getHandle(jobWorkflowId(id)).fetchHistory()));
    await connection.close();
    expect(histories.some((text) => jobs.some(({ id }) => text.includes(id)))).toBe(true);
    expect(foundIn(histories.join('\n'))).toEqual([]);
  });
});

/** Names of what was planted and is there, as it is or in one of the ways that it may be written. */
function foundIn(text: string): string[] {
  return [...planted].filter(([, value]) => [value, Buffer.from(value).toString('hex'), Buffer.from(value).toString('base64').replace(/=+$/, '')].some((form) => text.includes(form))).map(([name]) => name);
}

/** Payloads are bytes: as the text that they hold. */
const textOf = (history: unknown): string => JSON.stringify(history, (_name, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value));

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).filter((file) => readFileSync(file, 'utf8').includes(text));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has ended meanwhile
  }
}

async function logsIn(node: string, secret: string): Promise<boolean> {
  try {
    await (await connectNats({ servers: nats.url, user: node, pass: `node:${secret}`, inboxPrefix: `_INBOX_agent_${node}`, reconnect: false })).close();
    return true;
  } catch {
    return false;
  }
}

async function messagesOf(control: NatsConnection): Promise<string[]> {
  const manager = await control.jetstreamManager();
  const kept: string[] = [];
  for await (const stream of manager.streams.list()) {
    for (let seq = stream.state.first_seq; seq <= stream.state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream.config.name, { seq }).catch(() => undefined);
      if (message) kept.push(`${message.subject} ${message.string()}`);
    }
  }
  return kept;
}
