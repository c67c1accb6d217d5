/** What benches measure on: Postgres, Temporal and NATS of their own, as `muster up` configures them, and roles as processes. */
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { layoutOf } from '#infra/stack/layout.ts';
import { readPidFile } from '#infra/stack/pid-file.ts';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { allPids } from '#infra/stack/process-identity.ts';
import { reset } from '#infra/stack/reset.ts';
import { startServices } from '#infra/stack/services.ts';
import { connect, type Client } from '#services/cli/client.ts';
import { createEnrolmentToken } from '#services/fleet/enrolment.ts';
import { readConfig, type Config, type Environment } from '#services/platform/config.ts';
import { openDb, type Db } from '#services/platform/db.ts';
import { openLog, type Log } from '#services/platform/log.ts';
import { migrateToLatest } from '#services/platform/migrate.ts';
import { SimulatedFleet } from '#services/simfleet/fleet.ts';
import { completeScenario, type ScenarioFile } from '#services/simfleet/scenario.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { Part } from '../e2e/part.ts';

/** Sum of user and system time of a process and its children, ended ones included (proc_pid_stat(5), fields 14–17). */
const ticksPerSecond = 100;

export class BenchStack {
  readonly config: Config;
  readonly db: Db;
  readonly log: Log;
  readonly api: Client;
  readonly #home: string;
  readonly #env: Environment;
  readonly #parts: Part[] = [];
  readonly #stopServices: () => Promise<void>;

  /** @param settings  on top of the defaults of the product */
  static async open(settings: Environment = {}): Promise<BenchStack> {
    const home = await mkdtemp(path.join(process.env['MUSTER_BENCH_DIR'] ?? tmpdir(), 'muster-bench-'));
    await chmod(home, 0o711); // as root, Postgres runs as another user
    const services = await startServices({ home, headlessTemporal: true });
    await migrateToLatest(services.databaseUrl);
    const [port] = await findFreePorts(1);
    const env: Environment = {
      PATH: process.env['PATH'], HOME: process.env['HOME'], MUSTER_HOME: home,
      MUSTER_DATABASE_URL: services.appDatabaseUrl, MUSTER_TEMPORAL_ADDRESS: services.temporalAddress, MUSTER_NATS_URL: services.natsUrl,
      MUSTER_NATS_PASSWORD_FILE: services.natsPasswordFile, MUSTER_NATS_ISSUER_SEED_FILE: services.issuerSeedFile,
      MUSTER_API_PORT: String(port), MUSTER_LOG_LEVEL: 'warn', ...settings,
    };
    const config = readConfig(env);
    const log = openLog('bench', 'fatal');
    const db = openDb(config, log, 'bench');
    const api = connect({ url: config.apiUrl, key: await createApiKey(db, { name: 'bench', scopes: ['*'] }) });
    return new BenchStack(home, env, { config, log, db, api }, services.stop);
  }

  private constructor(home: string, env: Environment, own: { config: Config; log: Log; db: Db; api: Client }, stopServices: () => Promise<void>) {
    [this.#home, this.#env, this.#stopServices] = [home, env, stopServices];
    ({ config: this.config, log: this.log, db: this.db, api: this.api } = own);
  }

  /** A process of a role, ready. */
  async start(role: string, name = role): Promise<Part> {
    const part = new Part(name, role, this.#env);
    this.#parts.push(part);
    return part.start();
  }

  /** Simulated agents in this process, all let in. */
  async simulate(file: Omit<ScenarioFile, 'version'>): Promise<SimulatedFleet> {
    const fleet = new SimulatedFleet({
      scenario: completeScenario({ version: 1, ...file }), natsUrl: this.config.natsUrl, dataDir: path.join(this.#home, 'simulated'), log: this.log,
      tokenFor: async (node) => (await createEnrolmentToken(this.db, { node, ttlSeconds: 600 })).token,
    });
    await fleet.start();
    return fleet;
  }

  /** processor seconds that a service or a role's process has used */
  cpuSeconds(of: 'postgres' | 'temporal' | 'nats' | Part): number {
    const pid = typeof of === 'string' ? readPidFile(layoutOf(this.#home).run, of)?.pid : of.pid;
    if (!pid) throw new Error(`${typeof of === 'string' ? of : of.name} does not run`);
    return cpuSecondsOf(pid);
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.kill()));
    await this.db.destroy();
    await this.#stopServices();
    reset(this.#home);
    await rm(this.#home, { recursive: true, force: true });
  }
}

function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // it has ended meanwhile; its parent has its time
  }
}

function cpuSecondsOf(root: number): number {
  const stats = new Map(allPids().map((pid) => [pid, statOf(pid)] as const));
  let ticks = 0;
  const add = (pid: number): void => {
    const stat = stats.get(pid);
    if (!stat) return;
    ticks += stat.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    for (const [child, of] of stats) if (of?.[1] === String(pid)) add(child);
  };
  add(root);
  return ticks / ticksPerSecond;
}

/** Resident memory of a process now, in MB (10^6). */
export function rssMb(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) * 1_024 / 100_000) / 10;
}
