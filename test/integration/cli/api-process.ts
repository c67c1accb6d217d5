/** The API as the process that the stack runs, and the command as a user runs it. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { execa } from 'execa';
import { vi } from 'vitest';
import type { Environment } from '#services/platform/config.ts';
import { repositoryRoot } from '#services/platform/config.ts';

export interface ApiProcess {
  readonly url: string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const loggedAddress = /"address":"(http:[^"]+)".*API listens/;

/** Waits until it serves; its log tells the address. */
export async function startApi(env: Environment): Promise<ApiProcess> {
  const child = execa(process.execPath, [path.join(repositoryRoot, 'services/roles/api.ts')], {
    env: { ...process.env, ...env, MUSTER_LOG_LEVEL: 'info' }, extendEnv: false, reject: false, ipc: true, stdin: 'ignore', buffer: false,
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => { log += String(chunk); });
  await Promise.race([once(child, 'message'), child.then(() => { throw new Error(`the API ended: ${log}`); })]);
  // The log comes by another pipe than the message.
  const url = await vi.waitFor(() => loggedAddress.exec(log)?.[1] ?? Promise.reject(new Error(`no address in: ${log}`)), { timeout: 5_000 });
  return {
    url,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const { exitCode } = await child;
      return exitCode ?? null;
    },
  };
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface MusterOptions {
  readonly input?: string;
  /** Ctrl-C, as soon as what was printed so far matches */
  readonly interruptWhen?: RegExp;
}

/** @param env  on top of nothing but PATH: no setting of the machine reaches the command */
export async function muster(args: readonly string[], env: Environment, { input, interruptWhen }: MusterOptions = {}): Promise<Ran> {
  const child = execa(process.execPath, [path.join(repositoryRoot, 'services/cli/main.ts'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env }, extendEnv: false, reject: false, timeout: 25_000,
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
  });
  let seen = '';
  let interrupted = false; // a second Ctrl-C would end it the hard way
  const look = (chunk: Buffer): void => {
    seen += String(chunk);
    if (interrupted || !interruptWhen?.test(seen)) return;
    interrupted = true;
    child.kill('SIGINT');
  };
  child.stdout?.on('data', look);
  child.stderr?.on('data', look);
  const { exitCode, stdout, stderr } = await child;
  return { code: exitCode ?? -1, out: String(stdout), err: String(stderr) };
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
