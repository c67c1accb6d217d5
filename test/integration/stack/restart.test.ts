import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { connect, StringCodec, type NatsConnection } from 'nats';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { layoutOf } from '#infra/stack/layout.ts';
import { livingParts, type PidRecord } from '#infra/stack/pid-file.ts';
import { isAlive } from '#infra/stack/process-identity.ts';
import { reset } from '#infra/stack/reset.ts';
import { startServices, type Services } from '#infra/stack/services.ts';

type Addresses = Omit<Services, 'stop'>;

let home: string;
beforeAll(() => { home = mkdtempSync(path.join(os.tmpdir(), 'muster-home-')); });
afterAll(() => {
  reset(home);
  rmSync(home, { recursive: true, force: true });
});

const parts = (): PidRecord[] => livingParts(layoutOf(home).run);

async function startInProcess(): Promise<Addresses> {
  const child = fork(path.join(import.meta.dirname, 'services-process.ts'), [home], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [addresses] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => { throw new Error('the services did not start'); })]);
  return addresses as Addresses;
}

async function onPostgres<Row extends pg.QueryResultRow>(services: Addresses, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: services.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function onNats<T>(services: Addresses, work: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: services.natsUrl, user: 'control', pass: readFileSync(services.natsPasswordFile, 'utf8').trim() });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

async function onTemporal<T>(services: Addresses, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: services.temporalAddress });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

it('a kill -9 of everything loses neither a row, nor a message, nor a namespace', async () => {
  const first = await startInProcess();
  await onPostgres(first, "create table kept as select 'row' as what");
  await onNats(first, async (connection) => {
    await (await connection.jetstreamManager()).streams.add({ name: 'KEPT', subjects: ['kept.>'] });
    await connection.jetstream().publish('kept.one', StringCodec().encode('message'));
  });
  await onTemporal(first, (connection) => connection.workflowService.registerNamespace({ namespace: 'kept', workflowExecutionRetentionPeriod: msToTs('1 day') }));
  const killed = parts();
  expect(killed.map((part) => part.name).sort()).toEqual(['nats', 'postgres', 'supervisor', 'temporal']);
  for (const part of killed) process.kill(part.pid, 'SIGKILL');
  await expect.poll(() => killed.some(isAlive)).toBe(false);

  const second = await startServices({ home, headlessTemporal: true });
  try {
    expect(await onPostgres(second, 'select what from kept')).toEqual([{ what: 'row' }]);
    expect(await onNats(second, async (connection) =>
      (await (await connection.jetstreamManager()).streams.getMessage('KEPT', { seq: 1 })).string())).toBe('message');
    expect(await onTemporal(second, async (connection) =>
      (await connection.workflowService.describeNamespace({ namespace: 'kept' })).namespaceInfo?.name)).toBe('kept');
  } finally {
    await second.stop();
  }
  expect(parts()).toEqual([]);
}, 40_000);

it('the services end when the process that started them is killed', async () => {
  await startInProcess();
  const started = parts();
  expect(started).toHaveLength(4);
  const owner = started.find((part) => part.name === 'supervisor');
  process.kill(owner?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => started.some(isAlive), { timeout: 15_000 }).toBe(false);
}, 40_000);

it('a home that is in use is refused with the process that uses it', async () => {
  const services = await startServices({ home, headlessTemporal: true });
  try {
    await expect(startServices({ home, headlessTemporal: true })).rejects.toThrow(`process ${process.pid}`);
    expect(parts()).toHaveLength(4);
  } finally {
    await services.stop();
  }
}, 40_000);
