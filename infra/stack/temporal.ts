import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../temporal/search-attributes.ts';
import type { Layout } from './layout.ts';
import { requireFreePort } from './port-owner.ts';
import { startProcess, type Running } from './process.ts';
import { resolveProgram } from './program.ts';

export interface Temporal extends Running {
  readonly address: string;
  readonly uiUrl: string | undefined;
}

/** @param uiPort  undefined: without Web UI */
export async function startTemporal(layout: Layout, port: number, uiPort: number | undefined): Promise<Temporal> {
  const program = await resolveProgram('temporal');
  await requireFreePort('Temporal', port, 'MUSTER_TEMPORAL_PORT');
  if (uiPort !== undefined) await requireFreePort('Temporal Web UI', uiPort, 'MUSTER_TEMPORAL_UI_PORT');
  const dir = path.join(layout.data, 'temporal');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const address = `127.0.0.1:${port}`;
  const running = await startProcess(layout, {
    name: 'temporal',
    program: program.file,
    args: [
      'server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn',
      '--db-filename', path.join(dir, 'temporal.db'),
      '--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal',
      ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', '127.0.0.1', '--ui-port', String(uiPort), '--ui-disable-news-fetch']),
      ...Object.entries(searchAttributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ],
    env: temporalEnv(layout),
    order: 1,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 15_000,
    readyTimeoutMs: 60_000,
    ready: () => requireSearchAttributes(address),
  });
  return { ...running, address, uiUrl: uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}` };
}

/** Ready means that a worker may start: the namespace answers and knows our attributes. */
async function requireSearchAttributes(address: string): Promise<void> {
  const missing = await missingSearchAttributes(address, 'default');
  if (missing.length > 0) throw new Error(`search attributes ${missing.join(', ')} are not there yet`);
}

/** Names of our search attributes that a namespace doesn't have. @throws when Temporal can't be reached */
export async function missingSearchAttributes(address: string, namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + 2_000, () => connection.operatorService.listSearchAttributes({ namespace }));
    return Object.keys(searchAttributes).filter((name) => !(name in customAttributes));
  } finally {
    await connection.close();
  }
}

/** The CLI reads a configuration file and TEMPORAL_… variables of the user: neither may change our server. */
const temporalEnv = (layout: Layout): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], HOME: layout.data, TZ: 'UTC' });
