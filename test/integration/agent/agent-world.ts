/** One node with a real agent process, real member processes, a real NATS server, and the control plane's side. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, existsSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { memberProcesses, type MemberProcess } from '#infra/stack/members.ts';
import { controlPath, prepareControlFolder } from '#services/agent/control-path.ts';
import type { MemberKey } from '#services/fleet/model.ts';
import { newId } from '#services/platform/ids.ts';
import { startNatsServer, type NatsServer } from '../fleet-door/nats-server.ts';
import { openControlPlane, type ControlPlane } from './control-plane.ts';

export interface AgentProcess {
  readonly pid: number;
  readonly log: () => string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface AgentWorld {
  readonly nats: NatsServer;
  readonly plane: ControlPlane;
  readonly dir: string;
  readonly checkpointRoot: string;
  startAgent(env?: NodeJS.ProcessEnv): Promise<AgentProcess>;
  member(job?: string, epoch?: string, rank?: number): MemberKey;
  folder(key: MemberKey): string;
  /** one request on the member's control socket */
  control(key: MemberKey, method: string, url: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  processes(): MemberProcess[];
  /** processes that the test's members are, wrappers left out */
  programs(): number[];
  /** Ends everything. @returns what was still running of members */
  close(): Promise<void>;
}

export const newJob = (): string => newId('job');

/** Waits for a condition; the failure shows what it waits for. */
export async function until<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>, timeoutMs = 10_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await delay(10);
  }
}

export async function openAgentWorld(): Promise<AgentWorld> {
  const dir = mkdtempSync(path.join(process.env['MUSTER_TEST_DIR'] ?? tmpdir(), 'agent-'));
  const nats = await startNatsServer();
  const node = `node-${randomBytes(4).toString('hex')}`;
  const plane = await openControlPlane(nats, node);
  const dataDir = path.join(dir, 'data');
  const checkpointRoot = path.join(dir, 'checkpoints');
  mkdirSync(checkpointRoot);
  const agents: ChildProcess[] = [];
  const own = (): MemberProcess[] => memberProcesses(dir);

  return {
    nats, plane, dir, checkpointRoot,
    async startAgent(env = {}) {
      const child = spawn(process.execPath, [path.resolve('services/roles/agent.ts')], {
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: {
          PATH: process.env['PATH'], HOME: process.env['HOME'], MUSTER_NODE_NAME: node, MUSTER_NATS_URL: nats.url, MUSTER_AGENT_DATA_DIR: dataDir,
          MUSTER_CHECKPOINT_ROOT: checkpointRoot, MUSTER_AGENT_ENROLMENT_TOKEN: 'the-token', MUSTER_AGENT_DEVICES: '8', MUSTER_HEARTBEAT_MS: '100',
          MUSTER_AGENT_BEAT_TIMEOUT_MS: '500', MUSTER_AGENT_TOPOLOGY: 'zone=a,rack=r1', ...env,
        },
      });
      agents.push(child);
      let log = '';
      child.stderr?.on('data', (text: Buffer) => { log += text.toString(); });
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      await Promise.race([new Promise((resolve) => child.once('message', resolve)), ended.then(() => { throw new Error(log); })]);
      return { pid: child.pid ?? 0, log: () => log, async kill(signal) { child.kill(signal); await ended; } };
    },
    member: (job = newJob(), epoch = '1', rank = 0) => ({ job, epoch, rank }),
    folder: ({ job, epoch, rank }) => path.join(dataDir, 'members', job, epoch, String(rank)),
    control: (key, method, url, body) => ask(controlPath(prepareControlFolder(path.join(dataDir, 's')), key), method, url, body),
    processes: own,
    programs: () => own().filter(({ kind }) => kind === 'member').map(({ pid }) => pid),
    async close() {
      for (const agent of agents) agent.kill('SIGKILL');
      for (const { pid } of own()) process.kill(pid, 'SIGKILL');
      await plane.close();
      await nats.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function ask(socketPath: string, method: string, url: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method, path: url, agent: false }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => { text += part.toString(); });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Record<string, unknown> }));
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

export const read = (file: string): string => existsSync(file) ? readFileSync(file, 'utf8') : '';
