import { claimHome, type Claim } from './claim.ts';
import { endParts } from './end-parts.ts';
import { StackError } from './error.ts';
import { supervisor } from './guard.ts';
import { keepRunning } from './keep-running.ts';
import { createLayout, type Layout } from './layout.ts';
import { limitLogs } from './logs.ts';
import { agentMetricsPort, firstMetricsPort, metricsUrl, temporalCorePort, withMetrics } from './metrics-ports.ts';
import { startNats } from './nats.ts';
import { roleNames, writeView, type Part, type ServiceName, type StackView } from './part.ts';
import { givenServices, portVariable, readPorts, type StackPorts } from './ports.ts';
import { requireFreePort } from './port-owner.ts';
import { startPostgres, type Postgres } from './postgres.ts';
import { prepare } from './prepare.ts';
import { startProcess, type ProcessSpec, type Running } from './process.ts';
import { agentSpec, rackOf, roleSpec, type Addresses } from './roles.ts';
import { secretFile } from './secrets.ts';
import { startTemporal } from './temporal.ts';

export interface StackOptions {
  readonly home: string;
  readonly agents: number;
  readonly devicesPerAgent: number;
  readonly racks: number;
  /** false: only Postgres, Temporal and NATS, with the database prepared, to run roles by hand */
  readonly roles: boolean;
}

/** The local stack of one home: starts every part in order, keeps it running, stops it in reverse order. */
export class Supervisor {
  readonly #options: StackOptions;
  readonly #layout: Layout;
  readonly #ports: StackPorts;
  readonly #stopping = new AbortController();
  readonly #parts: Part[] = [];
  readonly #loops: Promise<void>[] = [];
  readonly #notices: string[] = [];
  #claim: Claim | undefined;
  #endLogWatch: (() => void) | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: StackOptions, env: NodeJS.ProcessEnv = process.env) {
    this.#options = options;
    this.#ports = readPorts(env);
    this.#layout = createLayout(options.home);
  }

  /** @throws StackError that names the part, when one doesn't start; everything is stopped again then */
  async start(): Promise<void> {
    this.#claim = await claimHome(this.#layout);
    this.#endLogWatch = limitLogs(this.#layout);
    if (this.#claim.leftovers.length > 0) this.#notices.push(`ended what an earlier stack had left running: ${this.#claim.leftovers.join(', ')}`);
    try {
      await this.#startAll();
      if (this.#stopping.signal.aborted) throw new StackError('stopped before everything was ready', 'Start it again with `muster up`.');
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stop());
  }

  view(): StackView {
    const api = process.env['MUSTER_API_URL'] ?? `http://127.0.0.1:${this.#ports.api}`;
    return {
      home: this.#layout.home,
      supervisorPid: process.pid,
      parts: this.#parts,
      urls: { api, openapi: `${api}/docs`, temporalUi: this.#addresses().temporalUi },
      adminKeyFile: secretFile(this.#layout.secrets, 'admin-key'),
      notices: this.#notices,
    };
  }

  async #startAll(): Promise<void> {
    await this.#startServices();
    const agents = Array.from({ length: this.#options.agents }, (_, index) => `node-${index + 1}`);
    const { tokenFiles, notices } = await prepare(this.#layout, this.#addresses(), this.#options.roles ? agents : []);
    this.#notices.push(...notices);
    if (!this.#options.roles || this.#stopping.signal.aborted) return;
    await requireFreePort('API', this.#ports.api, portVariable('api'));
    const first = firstMetricsPort(this.#ports, agents.length);
    await settleAll(roleNames.map((role, index) => this.#run(role, 'role', roleSpec(this.#layout, role, this.#addresses()),
      role === 'api' ? `http://127.0.0.1:${this.#ports.api}` : null, first && first + index, role === 'worker' && first ? temporalCorePort(first) : 0)));
    await settleAll(agents.map((node, index) => this.#run(node, 'agent', agentSpec(this.#layout, {
      node,
      devices: this.#options.devicesPerAgent,
      rack: rackOf(index, agents.length, this.#options.racks),
      enrolmentTokenFile: tokenFiles.get(node) ?? '',
      natsUrl: this.#addresses().nats,
    }), null, first && agentMetricsPort(first, index))));
  }

  async #startServices(): Promise<void> {
    const { postgres, temporal, temporalUi, nats } = this.#ports;
    const env = process.env;
    await settleAll([
      this.#service('postgres', 'given by MUSTER_DATABASE_URL', `127.0.0.1:${postgres}`, () => this.#startPostgres(postgres)),
      this.#service('temporal', env['MUSTER_TEMPORAL_ADDRESS'], `127.0.0.1:${temporal}`, () => startTemporal(this.#layout, temporal, temporalUi)),
      this.#service('nats', env['MUSTER_NATS_URL'], `nats://127.0.0.1:${nats}`, () => startNats(this.#layout, nats)),
    ]);
  }

  async #startPostgres(port: number): Promise<Postgres> {
    const postgres = await startPostgres(this.#layout, port);
    if (postgres.notice && !this.#notices.includes(postgres.notice)) this.#notices.push(postgres.notice);
    return postgres;
  }

  /** An address from the environment means: use that, start nothing. */
  async #service(name: ServiceName, given: string | undefined, address: string, start: () => Promise<Running>): Promise<void> {
    if (givenServices().has(name)) this.#add({ name, kind: 'service', state: 'external', address: given ?? null, pid: null, restarts: 0, detail: null });
    else await this.#supervise({ name, kind: 'service', state: 'starting', address, pid: null, restarts: 0, detail: null }, start);
  }

  #run(name: string, kind: 'role' | 'agent', spec: ProcessSpec, address: string | null, metricsPort: number, corePort = 0): Promise<void> {
    const metrics = [metricsPort, corePort].map((port) => metricsUrl(port)).filter((url) => url !== undefined);
    const part: Part = { name, kind, state: 'starting', address, pid: null, restarts: 0, metrics, detail: null };
    return this.#supervise(part, () => startProcess(this.#layout, withMetrics(spec, metricsPort, corePort)));
  }

  async #supervise(part: Part, start: () => Promise<Running>): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#add(part);
    const running = await start();
    Object.assign(part, { state: 'ready', pid: running.record.pid });
    this.#changed();
    this.#loops.push(keepRunning(part, running, start, () => this.#changed(), this.#stopping.signal));
  }

  #add(part: Part): void {
    this.#parts.push(part);
    this.#changed();
  }

  #changed(): void {
    writeView(this.#layout, this.view());
  }

  #addresses(): Addresses {
    const temporal = process.env['MUSTER_TEMPORAL_ADDRESS'];
    return {
      temporal: temporal ?? `127.0.0.1:${this.#ports.temporal}`,
      temporalUi: process.env['MUSTER_TEMPORAL_UI_URL'] ?? (temporal ? null : `http://127.0.0.1:${this.#ports.temporalUi}`),
      nats: process.env['MUSTER_NATS_URL'] ?? `nats://127.0.0.1:${this.#ports.nats}`,
    };
  }

  /** The second round ends what a restart, under way when the stop came, has started meanwhile. */
  async #stop(): Promise<void> {
    this.#stopping.abort();
    this.#endLogWatch?.();
    await endParts(this.#layout, (name) => name === supervisor);
    await Promise.allSettled(this.#loops);
    await this.#claim?.release();
  }
}

/** Waits for all, so that nothing is still starting when the first failure is reported. */
async function settleAll(starts: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(starts)).find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}
