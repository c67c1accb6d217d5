/**
 * One simulated node: the real agent's enrolment, login, heartbeat and judgement of answers over a real connection of
 * its own, with simulated members. Restarts and reboots end one life of its agent and begin the next.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Beater } from '../agent/beat.ts';
import { loginAs, obtainCredential, type Credential } from '../agent/enrol.ts';
import { readAgentSettings, type AgentSettings } from '../agent/settings.ts';
import { subjects, type NodeFacts } from '../fleet/model.ts';
import { newId } from '../platform/ids.ts';
import type { Log } from '../platform/log.ts';
import { Line, type Disturbances } from './line.ts';
import { SimulatedMembers } from './members.ts';
import { seeded, waitMs, within, type Random } from './random.ts';
import type { FaultKind, FaultScript, Scenario } from './scenario.ts';
import type { Statistics } from './statistics.ts';

export interface NodeDeps {
  readonly name: string;
  readonly index: number;
  readonly scenario: Scenario;
  readonly natsUrl: string;
  readonly beatTimeoutMs: number;
  /** of the whole fleet; each node has a folder there */
  readonly dataDir: string;
  /** a token for this node, asked for once */
  readonly tokenFor: (node: string) => Promise<string>;
  readonly statistics: Statistics;
  readonly log: Log;
}

const enrolTriesMax = 5;

export class SimulatedNode implements Disturbances {
  readonly members: SimulatedMembers;
  readonly #deps: NodeDeps;
  readonly #random: Random;
  /** end of each disturbance that is on */
  readonly #until = new Map<FaultKind, number>();
  #settings: AgentSettings | undefined;
  #credential: Credential | undefined;
  #beater: Beater | undefined;
  #life = new AbortController();
  #boot = 1;
  #incarnation = 0;

  constructor(deps: NodeDeps) {
    this.#deps = deps;
    this.#random = seeded(deps.scenario.seed, deps.name);
    const { statistics } = deps;
    this.members = new SimulatedMembers(deps.scenario, {
      changed: () => this.#beater?.wake(),
      count: (what, times) => statistics.count(`members ${what}`, times),
    });
  }

  get name(): string { return this.#deps.name; }

  on(kind: FaultKind): FaultScript | undefined {
    return performance.now() < (this.#until.get(kind) ?? 0) ? this.#deps.scenario.faults.find((fault) => fault.kind === kind) : undefined;
  }

  /** Exchanges a token for a credential, as a new node does. An answer that was lost used its token up: then with another. */
  async enrol(signal: AbortSignal): Promise<void> {
    const { name, dataDir, natsUrl, beatTimeoutMs, log } = this.#deps;
    const folder = path.join(dataDir, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (let tries = 1; !this.#credential; tries += 1) {
      this.#settings = readAgentSettings({
        MUSTER_HOME: dataDir, MUSTER_NODE_NAME: name, MUSTER_NATS_URL: natsUrl, MUSTER_AGENT_DATA_DIR: folder,
        MUSTER_AGENT_ENROLMENT_TOKEN: await this.#deps.tokenFor(name), MUSTER_AGENT_RE_ENROL: '1', MUSTER_AGENT_BEAT_TIMEOUT_MS: String(beatTimeoutMs),
      });
      this.#credential = await obtainCredential(this.#settings, log, signal).catch((error: unknown) => {
        if (signal.aborted || tries >= enrolTriesMax) throw error;
        return undefined;
      });
    }
  }

  /**
   * Lives until aborted, life after life.
   *
   * @param onUp  told once, at the first login
   */
  async run(signal: AbortSignal, onUp: () => void): Promise<void> {
    const faults = this.#deps.scenario.faults.map((fault) => this.#schedule(fault, signal));
    let isUp = false;
    while (!signal.aborted) {
      this.#life = new AbortController();
      await this.#live(AbortSignal.any([signal, this.#life.signal]), () => { if (!isUp) onUp(); isUp = true; });
      if (!this.#life.signal.aborted) break; // aborted from outside, or its credential is revoked
    }
    this.members.close();
    await Promise.all(faults);
  }

  async #live(signal: AbortSignal, onUp: () => void): Promise<void> {
    const { name, log, statistics } = this.#deps;
    const [settings, credential] = [this.#settings, this.#credential];
    if (!settings || !credential) throw new Error(`${name} is not enrolled`);
    const bus = await loginAs(settings, credential, log, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (!bus) return;
    statistics.count('lives');
    const beater = new Beater({
      ...settings, ...credential, bootId: `boot-${name}-${this.#boot}`, incarnation: this.#incarnation, facts: this.#facts(), log,
      bus: new Line({ bus, disturbances: this, statistics, random: this.#random, members: () => this.members.keys() }),
      observe: () => this.members.observe(),
      apply: (answer) => {
        if (signal.aborted) return; // a dead agent follows nothing
        this.#incarnation = answer.incarnation;
        this.members.apply(answer);
      },
    });
    this.#beater = beater;
    bus.listen(subjects.nudge(name), () => { if (!this.on('silence') && !this.on('deafness')) beater.wake(); });
    bus.onReconnect(() => beater.wake());
    onUp();
    await beater.run(signal);
    this.#beater = undefined;
    await bus.close();
  }

  async #schedule(fault: FaultScript, signal: AbortSignal): Promise<void> {
    const random = seeded(this.#deps.scenario.seed, this.name, fault.kind);
    if (random() >= fault.share) return;
    for (;;) {
      await delay(waitMs(random, fault.everyMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#deps.statistics.fault(fault.kind);
      this.#begin(fault.kind, within(random, fault.forMs));
    }
  }

  #begin(kind: FaultKind, lengthMs: number): void {
    switch (kind) {
      case 'strays': return this.members.addStray({ job: newId('job'), epoch: '1', rank: 0 });
      case 'restart': return this.#life.abort();
      case 'reboot':
        this.#boot += 1;
        this.members.loseAll();
        return this.#life.abort();
      default: this.#until.set(kind, performance.now() + lengthMs);
    }
  }

  #facts(): NodeFacts {
    const { name, index, scenario: { nodes } } = this.#deps;
    const rack = Math.floor(index / nodes.nodesPerRack);
    return {
      agentVersion: 'simulated', hostname: name, address: '127.0.0.1', cpuMilli: nodes.cpuMilli, memoryBytes: String(nodes.memoryBytes),
      devices: Array.from({ length: nodes.devices }, (_, device) => ({
        index: device, model: nodes.deviceModel, uuid: `${name}-${device}`, memoryBytes: String(80 * 2 ** 30), health: 'ok' as const,
      })),
      topology: { region: 'simulated', rack: `r${rack}` }, labels: { simulated: 'true' }, checkpointReach: 'shared',
    };
  }
}
