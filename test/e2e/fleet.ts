/**
 * The whole control plane with real agents: every role and every agent a process, members real programs.
 *
 * Each fleet has a NATS server of its own: agents log in through the auth callout of its ingest, and subjects of beats,
 * logins and nudges carry no scope, so two fleets on one server would answer each other's agents. Postgres and Temporal
 * are those of the run, with a database and a task queue of the fleet's own.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, type TestContext } from 'vitest';
import { memberProcesses, type MemberProcess } from '#infra/stack/members.ts';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { environmentOf } from '#infra/stack/process-identity.ts';
import { ask, connect, type Client, type Job, type Schema } from '#services/cli/client.ts';
import { createEnrolmentToken } from '#services/fleet/enrolment.ts';
import { readConfig, repositoryRoot, type Config, type Environment } from '#services/platform/config.ts';
import { openDb, type Db } from '#services/platform/db.ts';
import { openLog } from '#services/platform/log.ts';
import { openTemporal } from '#services/platform/temporal.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { startNatsServer } from '../integration/fleet-door/nats-server.ts';
import { openWorld } from '../setup/world.ts';
import { leftovers, nothing, type Leftovers } from './leftovers.ts';
import { Part } from './part.ts';
import { until } from './until.ts';

export const roleNames = ['api', 'ingest', 'relay', 'reconciler', 'scheduler', 'worker'] as const;
export type RoleName = (typeof roleNames)[number];
export type Attempt = Schema<'Attempt'>;
export type JobState = Job['state'];
export type Spec = Partial<Schema<'JobSpec'>>;

export interface FleetOptions {
  readonly nodes: number;
  /** each role a process of its own, where a test kills them one by one; otherwise one process is all of them */
  readonly apart?: boolean;
  readonly settings?: Environment;
  /** where Postgres, Temporal and NATS are; absent: those of the run, and a NATS of the fleet's own */
  readonly services?: ServicesEnv;
}

export interface ServicesEnv { readonly env: Environment; readonly close: () => Promise<void> }

/**
 * Two seconds instead of the one of other tests: here some fifteen processes share two cores, and a beat that waits a
 * second for its turn must not look like a dead node.
 */
const slower: Environment = {
  MUSTER_LEASE_TTL_MS: '2000',
  MUSTER_LEASE_DRIFT_MS: '500',
  MUSTER_LEADER_LEASE_MS: '2000',
  MUSTER_LOG_LEVEL: 'info', // what the sweeps find is read there
};

export const leaseTtlMs = Number(slower['MUSTER_LEASE_TTL_MS']);
const devicesPerNode = 8;
const settledMs = 20_000;
/** For the hook that opens one: a dozen processes compile and start at once, beside those of another file. */
export const openTimeoutMs = 120_000;

export class Fleet {
  readonly db: Db;
  readonly config: Config;
  readonly api: Client;
  readonly connection: { readonly url: string; readonly key: string };
  readonly dir: string;
  readonly checkpointRoot: string;
  readonly roles: ReadonlyMap<RoleName | 'all', Part>;
  readonly agents = new Map<string, Part>();
  readonly #env: Environment;
  readonly #options: FleetOptions;
  readonly #supervisor: ReturnType<typeof openTemporal>;
  readonly #closeServices: () => Promise<void>;
  readonly #boots = new Map<string, number>();
  #gates = 0;

  static async open(options: FleetOptions): Promise<Fleet> {
    const dir = mkdtempSync(path.join(process.env['MUSTER_TEST_DIR'] ?? tmpdir(), 'e2e-'));
    const services = options.services ?? await ownNats();
    const [port] = await findFreePorts(1);
    const env: Environment = {
      PATH: process.env['PATH'], HOME: process.env['HOME'], ...services.env, ...slower, MUSTER_API_PORT: String(port), ...options.settings,
    };
    const config = readConfig(env);
    const db = openDb(config, openLog('test', 'fatal'), 'test');
    const key = await createApiKey(db, { name: 'e2e', scopes: ['*'] });
    const fleet = new Fleet(dir, env, config, db, { url: config.apiUrl, key }, options, services.close);
    try {
      await fleet.#start();
      return fleet;
    } catch (error) {
      await fleet.close();
      throw error;
    }
  }

  private constructor(dir: string, env: Environment, config: Config, db: Db, connection: { url: string; key: string }, options: FleetOptions, closeServices: () => Promise<void>) {
    [this.dir, this.#env, this.config, this.db, this.connection, this.#options, this.#closeServices] = [dir, env, config, db, connection, options, closeServices];
    this.api = connect(connection);
    this.checkpointRoot = path.join(dir, 'checkpoints');
    mkdirSync(this.checkpointRoot);
    this.#supervisor = openTemporal(config, openLog('test', 'fatal'));
    const names = options.apart ? roleNames : ['all'] as const;
    this.roles = new Map(names.map((name) => [name, new Part(name, name, env)]));
  }

  async #start(): Promise<void> {
    const nodes = Array.from({ length: this.#options.nodes }, (_, index) => `n${index + 1}`);
    await Promise.all([...[...this.roles.values()].map((role) => role.start()), ...nodes.map((node) => this.startAgent(node))]);
    await this.ready(this.#options.nodes);
  }

  /** Waits until that many nodes take work. */
  async ready(nodes: number): Promise<void> {
    const states = () => this.db.selectFrom('node').select(['id', 'state', 'schedulable', 'cpu_milli']).execute();
    await until(`${nodes} nodes that take work`, async () => (await states()).filter((node) => node.schedulable && node.cpu_milli > 0).length === nodes, 60_000, states);
  }

  role(name: RoleName | 'all'): Part {
    const role = this.roles.get(name);
    if (!role) throw new Error(`no role ${name} in this fleet`);
    return role;
  }

  agent(node: string): Part {
    const agent = this.agents.get(node);
    if (!agent) throw new Error(`no agent of ${node}`);
    return agent;
  }

  dataDir(node: string): string { return path.join(this.dir, node); }

  /** @param env  on top */
  async startAgent(node: string, env: Environment = {}): Promise<Part> {
    const known = this.agents.get(node);
    const agent = known ?? new Part(node, 'agent', { ...this.agentEnv(node), MUSTER_AGENT_ENROLMENT_TOKEN: await this.token(node) });
    this.agents.set(node, agent);
    return agent.start({ MUSTER_AGENT_BOOT_ID: `boot-${this.#boots.get(node) ?? 1}-of-${node}`, ...env });
  }

  agentEnv(node: string): Environment {
    return {
      PATH: process.env['PATH'], HOME: process.env['HOME'], MUSTER_NATS_URL: this.config.natsUrl, MUSTER_NODE_NAME: node, MUSTER_LOG_LEVEL: 'info',
      MUSTER_AGENT_DATA_DIR: this.dataDir(node), MUSTER_CHECKPOINT_ROOT: this.checkpointRoot, MUSTER_CHECKPOINT_REACH: 'shared',
      MUSTER_AGENT_DEVICES: String(devicesPerNode), MUSTER_AGENT_DEVICE_MODEL: 'virtual-h100', MUSTER_AGENT_TOPOLOGY: `zone=a,rack=r1,nvlink=${node}`,
      MUSTER_HEARTBEAT_MS: String(this.config.heartbeatMs), MUSTER_AGENT_BEAT_TIMEOUT_MS: '1000', MUSTER_AGENT_CALL_TIMEOUT_MS: '5000',
      MUSTER_AGENT_CPU_MILLI: '64000', MUSTER_AGENT_MEMORY_BYTES: String(2 ** 36),
    };
  }

  async token(node: string): Promise<string> {
    return (await createEnrolmentToken(this.db, { node, ttlSeconds: 600 })).token;
  }

  /** What a program may wait for: a file that a test makes when it likes. */
  gate(): Gate {
    const file = path.join(this.dir, `gate-${++this.#gates}`);
    return { file, open: () => writeFileSync(file, '') };
  }

  /** @returns id */
  async submit(spec: Spec & Pick<Schema<'JobSpec'>, 'argv'>): Promise<string> {
    const body = { name: 'e2e', retry: { backoffSeconds: 0 }, checkpoint: { graceSeconds: 2 }, ...spec };
    return (await ask(this.api.POST('/v1/jobs', { body }))).id;
  }

  job(id: string): Promise<Job> { return ask(this.api.GET('/v1/jobs/{job}', { params: { path: { job: id } } })); }

  /** oldest first */
  async attempts(id: string): Promise<Attempt[]> {
    const { items } = await ask(this.api.GET('/v1/jobs/{job}/attempts', { params: { path: { job: id } } }));
    return [...items].sort((a, b) => Number(BigInt(a.epoch) - BigInt(b.epoch)));
  }

  async attempt(id: string): Promise<Attempt> {
    const last = (await this.attempts(id)).at(-1);
    if (!last) throw new Error(`${id} was never placed`);
    return last;
  }

  /** moves of the job, as its events tell them, oldest first */
  async moves(id: string): Promise<string[]> {
    const { items } = await ask(this.api.GET('/v1/jobs/{job}/events', { params: { path: { job: id }, query: { page_size: 200 } } }));
    return [...items].sort((a, b) => Number(BigInt(a.pos) - BigInt(b.pos)))
      .filter(({ kind }) => kind !== 'job.attention').map(({ payload }) => String(payload['state']));
  }

  async checkpoints(id: string): Promise<Schema<'Checkpoint'>[]> {
    return (await ask(this.api.GET('/v1/jobs/{job}/checkpoints', { params: { path: { job: id }, query: { page_size: 100 } } }))).items;
  }

  /** Waits for a state; an ended job that is in another one ends the waiting. */
  async state(id: string, wanted: JobState, timeoutMs = 30_000): Promise<Job> {
    return this.when(id, wanted, (job) => {
      if (job.endedAt !== null && job.state !== wanted) throw new Error(`${id} ended ${job.state}, not ${wanted}: ${job.reason}`);
      return job.state === wanted;
    }, timeoutMs);
  }

  async when(id: string, what: string, holds: (job: Job) => boolean, timeoutMs = 30_000): Promise<Job> {
    return until(`job ${what}`, async () => {
      const job = await this.job(id);
      return holds(job) && job;
    }, timeoutMs, async () => ({ job: await this.row(id), attempts: await this.attempts(id).catch(String) }));
  }

  /** The row itself, for where the API is away. */
  row(id: string) {
    return this.db.selectFrom('job').select(['state', 'version', 'epoch', 'vacate_reason', 'detail', 'waiting_reason', 'waiting_detail', 'user_failures', 'infrastructure_failures', 'unsupervised_attempts'])
      .where('id', '=', id).executeTakeFirstOrThrow();
  }

  async logs(id: string, query: { rank?: number; attempt?: string } = {}): Promise<string> {
    const url = new URL(`/v1/jobs/${id}/logs`, this.connection.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const answer = await fetch(url, { headers: { authorization: `Bearer ${this.connection.key}`, accept: 'text/plain' } });
    if (!answer.ok) throw new Error(`logs of ${id}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }

  /** Programs of members, wrappers left out: on one node, or of one job. */
  programs({ node, job }: { node?: string; job?: string } = {}): MemberProcess[] {
    return memberProcesses(node === undefined ? this.dir : this.dataDir(node))
      .filter((process) => process.kind === 'member' && (job === undefined || existsInEnvironment(process.pid, job)));
  }

  /** The machine of a node dies: its agent, wrappers and members at once. */
  async killNode(node: string): Promise<void> {
    await this.agent(node).kill();
    for (let left = memberProcesses(this.dataDir(node)); left.length > 0; left = memberProcesses(this.dataDir(node))) killAll(left);
  }

  /** The node that died starts again, with a boot of its own: the proof that all of its members are gone. */
  async reboot(node: string): Promise<void> {
    if (this.agents.get(node)?.isUp) await this.agent(node).kill();
    this.#boots.set(node, (this.#boots.get(node) ?? 1) + 1);
    await this.startAgent(node);
  }

  /** @returns what sweeps found so far; nothing in a healthy life */
  sweepFindings(): string[] {
    return [...this.roles.values()].flatMap((role) => role.log.split('\n').filter((line) => line.includes('"sweep":')));
  }

  leftovers(): Promise<Leftovers> { return leftovers(this.db, this.#supervisor, this.dir); }

  /**
   * After every test: nothing is left. What a failed one left is cancelled instead, so that the next ones can tell of
   * their own failures.
   */
  async settle({ task }: Pick<TestContext, 'task'>): Promise<void> {
    if (task.result?.state !== 'fail') return this.expectNothingLeft();
    const open = await this.db.selectFrom('job').select('id').where('ended_at', 'is', null).execute();
    for (const { id } of open) await this.api.POST('/v1/jobs/{job}/cancel', { params: { path: { job: id } }, body: { reason: 'its test failed' } });
    await this.expectNothingLeft().catch(() => undefined);
  }

  /** What has ended has also let go of everything. */
  async expectNothingLeft(): Promise<void> {
    const isNothing = async (): Promise<boolean> => JSON.stringify(sorted(await this.leftovers())) === JSON.stringify(sorted(nothing));
    await until('nothing to be left', isNothing, settledMs).catch(() => undefined);
    expect(await this.leftovers()).toEqual(nothing);
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.kill()));
    for (let left = memberProcesses(this.dir); left.length > 0; left = memberProcesses(this.dir)) killAll(left);
    await Promise.all([...this.roles.values()].map((role) => role.kill()));
    await this.#supervisor.close();
    await this.db.destroy();
    await this.#closeServices();
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** what a command is given to reach this fleet */
  get cliEnv(): Environment {
    return { MUSTER_HOME: this.dir, MUSTER_API_URL: this.connection.url, MUSTER_API_KEY: this.connection.key };
  }

  /** for a second process of a role */
  get roleEnv(): Environment { return this.#env; }
}

export interface Gate { readonly file: string; open(): void }

/** A program that runs until its gate is open, without children of its own at the end. */
export const untilOpen = (gate: Gate, before = ''): string[] => ['/bin/sh', '-c', `${before} while [ ! -e ${gate.file} ]; do sleep 0.05; done`];

export const program = (name: string, ...args: string[]): string[] => [process.execPath, path.join(repositoryRoot, 'test/e2e/programs', name), ...args];

async function ownNats(): Promise<ServicesEnv> {
  const world = await openWorld();
  const nats = await startNatsServer();
  const { MUSTER_NATS_PASSWORD_FILE: _password, MUSTER_NATS_ISSUER_SEED_FILE: _seed, ...env } = world.env;
  return {
    env: { ...env, MUSTER_NATS_URL: nats.url, MUSTER_NATS_PASSWORD: nats.password, MUSTER_NATS_ISSUER_SEED: nats.issuerSeed },
    close: async () => {
      await nats.stop();
      await world.close();
    },
  };
}

function killAll(processes: readonly MemberProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

const existsInEnvironment = (pid: number, job: string): boolean => environmentOf(pid).get('MUSTER_JOB') === job;
const sorted = (found: Leftovers): [string, unknown][] => Object.entries(found).sort(([a], [b]) => a.localeCompare(b));
