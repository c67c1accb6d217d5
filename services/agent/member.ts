/** One member as its agent knows it: what the files say, and what only this process knows. No rule stands here. */
import type { Server } from 'node:http';
import type { MemberKey, MemberObservation, MemberProgress } from '#services/fleet/model.ts';
import type { LogTail } from './logs.ts';
import type { MemberFolder, Outcome, RunningProcess, StartRecord, StopOrder } from './member-folder.ts';

export class Member {
  readonly folder: MemberFolder;
  /** the start was decided and is durable */
  record: StartRecord | undefined;
  process: RunningProcess | undefined;
  stop: StopOrder | undefined;
  isReady: boolean;
  /** it is over, and no process is left */
  outcome: Outcome | undefined;
  isAcknowledged: boolean;
  /** a stop came while its start was being prepared */
  isCancelled = false;
  progress: MemberProgress | undefined;
  /** when this agent started its wrapper; undefined for an adopted one */
  spawnedMs: number | undefined;
  control: Server | undefined;
  logs: LogTail | undefined;
  /** checkpoint calls that the control plane hasn't answered; an exit waits for them (P18) */
  readonly calls = new Set<Promise<unknown>>();
  readonly #stopListeners = new Set<() => void>();

  constructor(folder: MemberFolder) {
    this.folder = folder;
    this.record = folder.record();
    this.process = this.record && folder.running();
    this.stop = folder.stop();
    this.isReady = folder.isReady();
    this.outcome = folder.outcome();
    this.isAcknowledged = folder.isAcknowledged();
  }

  get key(): MemberKey { return this.folder.key; }

  /** A process may run, or be about to. */
  get isActive(): boolean { return this.outcome === undefined; }

  setStop(stop: StopOrder): void {
    this.stop = stop;
    for (const tell of this.#stopListeners) tell();
  }

  /** Calls `listener` at each stop order. @returns ends it */
  onStop(listener: () => void): () => void {
    this.#stopListeners.add(listener);
    return () => this.#stopListeners.delete(listener);
  }

  /** Keeps the exit back until `call` is answered (P18). */
  track<T>(call: Promise<T>): Promise<T> {
    const settled = call.then(() => undefined, () => undefined).then(() => { this.calls.delete(settled); });
    this.calls.add(settled);
    return call;
  }

  /** What the next beat says of it; undefined while its start is prepared, and once its end was acknowledged (P8). */
  observe(address: string): MemberObservation | undefined {
    const { job, epoch, rank } = this.key;
    const key = { job, epoch, rank };
    const progress = this.progress === undefined ? {} : { progress: this.progress };
    if (this.outcome) {
      if (this.isAcknowledged) return undefined;
      return this.outcome.state === 'exited' ? { ...key, ...this.outcome, ...progress } : { ...key, ...this.outcome };
    }
    if (!this.record) return undefined;
    return {
      ...key, ...progress, address, state: this.isUp ? 'ready' : 'accepted', port: this.record.port,
      pid: this.process?.pid ?? 0, devices: this.record.devices,
    };
  }

  private get isUp(): boolean {
    return this.process !== undefined && (this.record?.readiness === 'start' || this.isReady);
  }
}
