/** A whole simulated fleet in this process: one NATS connection, one credential and one heartbeat a node, as real ones have. */
import type { Log } from '../platform/log.ts';
import { SimulatedNode, type NodeDeps } from './node.ts';
import type { Scenario } from './scenario.ts';
import { Statistics, type Summary } from './statistics.ts';

export interface FleetDeps extends Pick<NodeDeps, 'natsUrl' | 'dataDir' | 'tokenFor'> {
  readonly scenario: Scenario;
  readonly log: Log;
  readonly beatTimeoutMs?: number;
}

/** Enrolments at once: half of what one ingest lets in at a time, so that others still get in. */
const enrolmentsMax = 32;
const beatTimeoutMs = 4_000;

export interface FleetState extends Summary {
  readonly nodes: number;
  readonly nodesUp: number;
  readonly membersActive: number;
}

export class SimulatedFleet {
  readonly nodes: readonly SimulatedNode[];
  readonly statistics = new Statistics();
  readonly #stop = new AbortController();
  readonly #lives: Promise<void>[] = [];
  #up = 0;
  #failed: ((error: unknown) => void) | undefined;
  /** ends with the reason, when a node can't go on */
  readonly failed = new Promise<Error>((resolve) => { this.#failed = (error) => resolve(error instanceof Error ? error : new Error(String(error))); });

  constructor(deps: FleetDeps) {
    const { scenario } = deps;
    const digits = String(scenario.nodes.count).length;
    this.nodes = Array.from({ length: scenario.nodes.count }, (_, index) => new SimulatedNode({
      beatTimeoutMs, ...deps, index, name: `${scenario.nodes.prefix}-${String(index + 1).padStart(digits, '0')}`, statistics: this.statistics,
    }));
  }

  /** Enrols and lets in every node, a few at a time; returns when all are in. @throws what refuses one */
  async start(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => this.#stop.abort(), { once: true });
    const waiting = [...this.nodes].reverse();
    const enrolNext = async (): Promise<void> => {
      for (let node = waiting.pop(); node && !this.#stop.signal.aborted; node = waiting.pop()) {
        await node.enrol(this.#stop.signal);
        await this.#letIn(node);
      }
    };
    try {
      await Promise.all(Array.from({ length: enrolmentsMax }, enrolNext));
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      await this.close();
      throw error;
    }
  }

  state(): FleetState {
    return {
      ...this.statistics.summary(), nodes: this.nodes.length, nodesUp: this.#up,
      membersActive: this.nodes.reduce((sum, node) => sum + node.members.active, 0),
    };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#lives);
  }

  #letIn(node: SimulatedNode): Promise<void> {
    return new Promise((resolve) => {
      const life = node.run(this.#stop.signal, () => {
        this.#up += 1;
        resolve();
      }).catch((error: unknown) => this.#failed?.(error)).finally(() => {
        this.#up -= 1;
        resolve();
      });
      this.#lives.push(life);
    });
  }
}
