/** The relay role as a process: killed at any moment, cut from Postgres, ended by a signal. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCursor } from '#services/events/cursor.ts';
import { relayReader } from '#services/events/relay.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { connectionOf } from '#services/platform/nats/bus.ts';
import { eventStreamName } from '#services/platform/nats/streams.ts';
import { append, jobEventOf, openEventWorld, until, type EventWorld } from '#test/setup/events.ts';

let world: EventWorld;
let relay: ChildProcess | undefined;
beforeEach(async () => { world = await openEventWorld(); });
afterEach(async () => {
  relay?.kill('SIGKILL');
  await world.close();
});

async function startRelay(): Promise<void> {
  relay = fork(path.join(repositoryRoot, 'services/roles/relay.ts'), { env: { ...process.env, ...world.env }, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await once(relay, 'message');
}

async function killRelay(): Promise<void> {
  relay!.kill('SIGKILL');
  await once(relay!, 'exit');
}

const storedMessages = async (): Promise<number> =>
  (await (await connectionOf(world.bus).jetstreamManager()).streams.info(eventStreamName(world.config.scope))).state.messages;
const published = async (): Promise<bigint> => (await readCursor(world.db, relayReader)).pos;
const handled = async (): Promise<bigint> => (await sql<{ n: bigint }>`select count(*) as n from inbox`.execute(world.db)).rows[0]!.n;

async function appendMany(count: number, from: number): Promise<void> {
  for (let n = 0; n < count; n++) await append(world.db, jobEventOf(`job_${from + n}`, 1n));
}

it('killed again and again while events come, it publishes each once and hands each on', async () => {
  for (let round = 0; round < 3; round++) {
    await startRelay();
    const writing = appendMany(60, round * 60);
    await until(async () => (await published()) > BigInt(round * 60));
    await killRelay();
    await writing;
  }
  await startRelay();
  await until(async () => (await handled()) === 180n);
  expect(await published()).toBe(180n);
  expect(await storedMessages()).toBe(180);
}, 60_000);

it('losing all its connections to Postgres it goes on', async () => {
  await startRelay();
  await appendMany(5, 0);
  await until(async () => (await handled()) === 5n);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'muster-relay'`.execute(world.db);
  await appendMany(5, 5);
  await until(async () => (await handled()) === 10n);
  expect(relay!.exitCode).toBeNull();
});

it('ends by itself on SIGTERM with 0, and its successor goes on', async () => {
  await startRelay();
  await appendMany(3, 0);
  await until(async () => (await handled()) === 3n);
  relay!.kill('SIGTERM');
  expect(await once(relay!, 'exit')).toEqual([0, null]);
  await appendMany(3, 3);
  await startRelay();
  await until(async () => (await handled()) === 6n);
});
