/**
 * A small faithful agent (protocol.md P1–P8) and the machine below it: processes, a disk that outlives the agent, power.
 * Which answers it follows is decided by the real agent's own rule.
 */
import type { Answer, Beat, BeatRefusal, MemberKey, MemberObservation, NodeFacts, RunItem } from '#services/fleet/model.ts';
import { firstPosition, judge, type Position } from '#services/agent/answers.ts';

export interface Process {
  readonly key: string;
  readonly member: MemberKey;
  readonly node: string;
  readonly device: number;
  readonly isExclusive: boolean;
  isAlive: boolean;
  isReady: boolean;
  isStopped: boolean;
  isStuck: boolean;
  /** the wrapper's: what the agent granted last */
  leaseUntilMs: number;
  ageRounds: number;
  exitCode: number | null;
}

export const keyOf = ({ job, epoch, rank }: MemberKey): string => `${job} ${epoch} ${rank}`;

type Known = { readonly member: MemberKey } & (
  | { readonly state: 'run' } | { readonly state: 'gone' } | { readonly state: 'refused' } | { readonly state: 'exited'; readonly exitCode: number });

export class Machine {
  readonly node: string;
  readonly facts: NodeFacts;
  /** of the whole world: every process that ever ran */
  readonly #processes: Process[];
  isPowered = true;
  isAgentUp = false;
  isPartitioned = false;
  /** will not come back: only a proof ends it */
  isBuried = false;
  bootId = '';
  #boots = 0;
  #known = new Map<string, Known>();
  /** durable: records of starts, exits and tombstones that no answer has acknowledged */
  #records = new Map<string, Known>();
  #position: Position;
  #sequence = 0;
  #sentMs = new Map<string, number>();
  #leaseUntilMs = 0;
  readonly faults: string[] = [];

  constructor(node: string, facts: NodeFacts, processes: Process[]) {
    this.node = node;
    this.facts = facts;
    this.#processes = processes;
    this.#position = firstPosition(null, 0);
    this.boot();
  }

  get canSpeak(): boolean { return this.isPowered && this.isAgentUp && !this.isPartitioned; }

  boot(keepsDisk = true): void {
    this.isPowered = true;
    this.bootId = `boot-${this.node}-${++this.#boots}`;
    if (!keepsDisk) this.#records.clear();
    this.startAgent();
  }

  losePower(): void {
    this.isPowered = false;
    this.killAgent();
    for (const process of this.#own()) process.isAlive = false;
  }

  killAgent(): void {
    this.isAgentUp = false;
    this.#known.clear();
  }

  startAgent(): void {
    this.isAgentUp = true;
    this.#position = firstPosition(null, this.#position.incarnation);
    this.#sequence = 0;
    this.#leaseUntilMs = 0;
    this.#known = new Map(this.#records);
  }

  #own(): Process[] { return this.#processes.filter((process) => process.isAlive && process.node === this.node); }
  #processOf(key: string): Process | undefined { return this.#own().find((process) => process.key === key); }

  end(process: Process, exitCode: number, writesExit = true): void {
    process.isAlive = false;
    if (!writesExit) return;
    process.exitCode = exitCode;
    this.#records.set(process.key, { member: process.member, state: 'exited', exitCode });
  }

  refuse(process: Process): void {
    process.isAlive = false;
    this.#remember(process.key, { member: process.member, state: 'refused' });
  }

  #remember(key: string, known: Known): void {
    this.#known.set(key, known);
    this.#records.set(key, known);
  }

  beat(nowMs: number): Beat {
    this.#sequence += 1;
    const members = [...this.#known].map(([key, known]) => this.#observe(key, known));
    this.#sentMs.set(`${this.bootId} ${this.#position.session} ${this.#sequence}`, nowMs);
    return {
      node: this.node, clusterId: this.#position.clusterId, credentialVersion: 1, bootId: this.bootId, session: this.#position.session,
      sequence: this.#sequence, incarnation: this.#position.incarnation, members,
      ...(this.#position.session === '0' || this.#position.generation === 0n ? { facts: this.facts } : {}),
    };
  }

  #observe(key: string, known: Known): MemberObservation {
    const { member } = known;
    if (known.state === 'exited') return { ...member, state: 'exited', exitCode: known.exitCode, signal: null, ...this.#address(member) };
    if (known.state === 'refused') return { ...member, state: 'refused', code: 'spawn_failed', detail: 'the program is missing' };
    if (known.state === 'gone') return { ...member, state: 'gone' };
    const process = this.#processOf(key);
    if (process) return { ...member, state: process.isReady ? 'ready' : 'accepted', pid: 1, devices: [process.device], address: '127.0.0.1', port: 29_500 };
    const record = this.#records.get(key);
    const over: Known = record?.state === 'exited' ? record : { member, state: 'gone' };
    this.#remember(key, over);
    return this.#observe(key, over);
  }

  #address(member: MemberKey): { address: string; port: number } | Record<string, never> {
    return member.rank === 0 ? { address: '127.0.0.1', port: 29_500 } : {};
  }

  /** @param beat  that is answered */
  apply(beat: Beat, answer: Answer | BeatRefusal, nowMs: number): void {
    if (!this.isPowered || !this.isAgentUp || beat.bootId !== this.bootId) return;
    if ('refused' in answer) {
      if (answer.refused === 'stale' && beat.sequence === this.#sequence) this.#position = { ...this.#position, session: '0' };
      return;
    }
    const sentMs = this.#sentMs.get(`${beat.bootId} ${beat.session} ${beat.sequence}`);
    if (sentMs === undefined || (answer.hello && beat.sequence !== this.#sequence)) return;
    const verdict = judge(this.#position, answer, sentMs, nowMs);
    if (verdict.kind === 'drop') return;
    this.#position = verdict.position;
    this.#leaseUntilMs = Math.max(this.#leaseUntilMs, sentMs + answer.leaseTtlMs);
    for (const process of this.#own()) process.leaseUntilMs = Math.max(process.leaseUntilMs, this.#leaseUntilMs);
    for (const item of answer.stop) {
      const process = this.#processOf(keyOf(item));
      if (process) process.isStopped = true;
      else if (!this.#known.has(keyOf(item))) this.#remember(keyOf(item), { member: memberOf(item), state: 'gone' }); // P7
    }
    for (const item of answer.run) this.#run(item);
    for (const key of answer.ack) this.#acknowledge(keyOf(key)); // P8
  }

  #run(item: RunItem): void {
    const key = keyOf(item);
    const older = this.#own().filter((process) => process.member.job === item.job && BigInt(process.member.epoch) < BigInt(item.epoch));
    for (const process of older) process.isStopped = true;
    if (this.#known.has(key)) return;
    if (item.order === 'keep') return this.#remember(key, { member: memberOf(item), state: 'gone' }); // P5
    if (older.length > 0) return;
    if (this.#processes.some((process) => process.key === key)) this.faults.push(`law 7: ${key} started a second time on ${this.node}`); // P6
    if (item.rank > 0 && item.launch.master === null) this.faults.push(`${key} ordered before rank 0's address is known`);
    this.#remember(key, { member: memberOf(item), state: 'run' });
    this.#processes.push({
      key, member: memberOf(item), node: this.node, device: item.launch.devices[0] ?? -1, isExclusive: item.launch.exclusive,
      isAlive: true, isReady: false, isStopped: false, isStuck: false, leaseUntilMs: this.#leaseUntilMs, ageRounds: 0, exitCode: null,
    });
  }

  #acknowledge(key: string): void {
    const known = this.#known.get(key);
    if (!known || known.state === 'run') return;
    this.#known.delete(key);
    this.#records.delete(key);
  }
}

const memberOf = ({ job, epoch, rank }: MemberKey): MemberKey => ({ job, epoch, rank });
