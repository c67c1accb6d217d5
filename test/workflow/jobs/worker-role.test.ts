/** The worker as a process: killed, ended, started again, and with its dependencies away. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot, type Environment } from '#services/platform/config.ts';
import { openTemporal, workflowUrl } from '#services/platform/temporal.ts';
import { until, World } from './world.ts';

const file = path.join(repositoryRoot, 'services/roles/worker.ts');

/** A wire that can be cut: what a dependency's absence looks like to a client. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(host: string, port: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connect(port, host);
      for (const [from, to] of [[near, far], [far, near]] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => { this.#sockets.delete(from); to.destroy(); });
      }
    });
  }

  static async to(host: string, port: number): Promise<Wire> {
    const wire = new Wire(host, port);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get port(): number { return (this.#server.address() as { port: number }).port; }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void { this.#isCut = false; }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('the worker role', () => {
  let world: World;
  let home: string;
  const children: ChildProcess[] = [];
  const wires: Wire[] = [];
  beforeAll(async () => { home = await mkdtemp(path.join(tmpdir(), 'muster-worker-')); });
  afterAll(() => rm(home, { recursive: true, force: true }));
  beforeEach(async () => { world = await World.open({ withoutWorker: true }); });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await Promise.all(wires.splice(0).map((wire) => wire.close()));
    await world.close();
  });

  interface Worker { readonly child: ChildProcess; readonly ready: Promise<void>; readonly exited: Promise<number | null>; readonly log: () => string }

  function start(env: Environment = {}): Worker {
    const child = fork(file, { env: { ...process.env, ...world.env, MUSTER_HOME: home, MUSTER_LOG_LEVEL: 'info', ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    children.push(child);
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => { text += chunk.toString(); });
    return {
      child, log: () => text,
      ready: new Promise((resolve) => child.on('message', () => resolve())),
      exited: new Promise((resolve) => child.on('exit', (code) => resolve(code))),
    };
  }

  async function wireTo(address: string): Promise<Wire> {
    const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`);
    const wire = await Wire.to(hostname, Number(port));
    wires.push(wire);
    return wire;
  }

  it('killed at once in the middle of a run, its successor ends the job, from a bundle that is made once', { timeout: 60_000 }, async () => {
    const first = start();
    await first.ready;
    const job = await world.running({ retry: { userFailures: 0 } });
    first.child.kill('SIGKILL');
    await first.exited;
    await world.report(job, { state: 'exited', exitCode: 1 }, [0]);
    await start().ready;
    await world.reaches(job, 'FAILED');
    expect((await readdir(path.join(home, 'run'))).filter((name) => name.startsWith('workflows-'))).toHaveLength(1);
  });

  it('told to end it ends cleanly within 10 s', async () => {
    const worker = start();
    await worker.ready;
    const at = performance.now();
    worker.child.kill('SIGTERM');
    expect(await worker.exited).toBe(0);
    expect(performance.now() - at).toBeLessThan(10_000);
  });

  it('SL21 it waits for a Temporal and a Postgres that are away, and is ready once both are there', { timeout: 60_000 }, async () => {
    const temporal = await wireTo(world.config.temporalAddress);
    const postgres = await wireTo(world.config.databaseUrl);
    temporal.cut();
    postgres.cut();
    const url = new URL(world.config.databaseUrl);
    url.host = `127.0.0.1:${postgres.port}`;
    const worker = start({ MUSTER_TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`, MUSTER_DATABASE_URL: url.href });
    const tries = (): number => worker.log().split('worker not running').length - 1;
    await until(() => Promise.resolve(tries() >= 2), 'tries without Postgres');
    postgres.mend();
    const before = tries();
    await until(() => Promise.resolve(tries() > before), 'a try without Temporal');
    temporal.mend();
    await worker.ready;
    expect(worker.child.exitCode).toBeNull();
  });

  it('a Postgres that is away stops nothing: the run shows that it waits, and goes on', { timeout: 60_000 }, async () => {
    const postgres = await wireTo(world.config.databaseUrl);
    const url = new URL(world.config.databaseUrl);
    url.host = `127.0.0.1:${postgres.port}`;
    await start({ MUSTER_DATABASE_URL: url.href }).ready;
    const job = await world.running();
    postgres.cut();
    await world.report(job, { state: 'exited', exitCode: 0 });
    await until(async () => (await world.pendingActivities(job)).includes('readSupervision'), 'a pending activity that shows the trouble');
    expect(await world.details(job)).toContain('docs/operations.md#the-database-is-away');
    expect((await world.row(job)).state).toBe('RUNNING');
    postgres.mend();
    await world.reaches(job, 'SUCCEEDED');
  });

  it('a Temporal that is away stops no job: starts fail for a while, what happened meanwhile is found after it', { timeout: 60_000 }, async () => {
    const temporal = await wireTo(world.config.temporalAddress);
    await start({ MUSTER_TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` }).ready;
    const supervisor = openTemporal({ ...world.config, temporalAddress: `127.0.0.1:${temporal.port}` }, world.log);
    const job = await world.running();
    temporal.cut();
    await expect(supervisor.describeRun(job)).rejects.toThrow();
    await world.report(job, { state: 'exited', exitCode: 0 });
    expect((await world.row(job)).state).toBe('RUNNING');
    temporal.mend();
    await until(async () => (await supervisor.describeRun(job).catch(() => 'away')) !== 'away', 'the client to be back');
    await world.reaches(job, 'SUCCEEDED');
    await supervisor.close();
  });

  it('a link to the job leads to its runs in the Web UI', () => {
    const link = workflowUrl({ temporalUiUrl: 'http://127.0.0.1:18233', temporalNamespace: 'default' }, 'job_1');
    expect(link).toBe('http://127.0.0.1:18233/namespaces/default/workflows?query=WorkflowId%3D%22job%2Fjob_1%22');
  });
});
