/**
 * The members of a simulated node: follows answers by the rules of the real agent's `Members` (P5–P8), with timers
 * where that one has processes, and a map where it has folders. What is in here outlives an agent's restart, as disk
 * and processes do.
 */
import type { Answer, MemberKey, MemberLaunch, MemberObservation, RunItem, StopItem } from '../fleet/model.ts';
import { pick, seeded, within } from './random.ts';
import type { Ending, ProgramScript, Scenario } from './scenario.ts';

export interface MemberEvents {
  /** something changed that the next beat must tell */
  readonly changed: () => void;
  readonly count: (what: 'started' | 'exited' | 'refused' | 'stopped' | 'killed' | 'buried' | 'misled', times?: number) => void;
}

type Outcome =
  | { readonly state: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly state: 'gone' }
  | { readonly state: 'refused'; readonly code: Extract<Ending, { refused: string }>['refused']; readonly detail: string };

interface SimulatedMember {
  readonly key: MemberKey;
  readonly port: number;
  readonly devices: readonly number[];
  readonly program: ProgramScript;
  readonly ending: Ending;
  readonly runMs: number | undefined;
  readonly stopMs: number | undefined;
  isReady: boolean;
  isStopping: boolean;
  outcome: Outcome | undefined;
  timer: NodeJS.Timeout | undefined;
  killer: NodeJS.Timeout | undefined;
}

/** The reason that a forged stop carries: no judged answer may bring it here. */
export const forgedReason = 'forged';
const supersededGraceMs = 1_000;
const address = '127.0.0.1';
const portMin = 24_000;
const portsMax = 8_000;
const failedByStop = 143;

const textOf = ({ job, epoch, rank }: MemberKey): string => `${job}/${epoch}/${rank}`;

export class SimulatedMembers {
  readonly #known = new Map<string, SimulatedMember>();
  readonly #scenario: Scenario;
  readonly #events: MemberEvents;
  readonly #strays: MemberKey[] = [];
  #ports = 0;

  constructor(scenario: Scenario, events: MemberEvents) {
    [this.#scenario, this.#events] = [scenario, events];
  }

  get active(): number {
    let active = 0;
    for (const member of this.#known.values()) if (!member.outcome) active += 1;
    return active;
  }

  keys(): MemberKey[] { return [...this.#known.values()].map(({ key }) => key); }

  observe(): MemberObservation[] {
    const strays = this.#strays.splice(0).map((key): MemberObservation => ({ ...key, state: 'ready', address, port: 0, pid: 1, devices: [] }));
    return [...[...this.#known.values()].map(observationOf), ...strays];
  }

  /** Reports once a member that nobody ordered (P11). */
  addStray(key: MemberKey): void {
    this.#strays.push(key);
    this.#events.changed();
  }

  /** Follows an answer that P3 let through. */
  apply(answer: Pick<Answer, 'run' | 'stop' | 'ack'>): void {
    for (const item of answer.stop) this.#stop(item);
    for (const item of answer.run) this.#run(item);
    for (const key of answer.ack) this.#acknowledge(key);
  }

  /** The node boots anew: processes are gone, what was written down stays. */
  loseAll(): void {
    for (const member of this.#known.values()) if (!member.outcome) this.#end(member, { state: 'gone' });
  }

  /** Ends every member now, as its program would. */
  finishAll(): void {
    for (const member of this.#known.values()) if (!member.outcome && member.isReady) this.#finish(member);
  }

  close(): void {
    for (const member of this.#known.values()) clearTimers(member);
  }

  #run(item: RunItem): void {
    let isBlocked = false;
    for (const member of this.#known.values()) {
      if (member.outcome || member.key.job !== item.job || BigInt(member.key.epoch) >= BigInt(item.epoch)) continue;
      this.#order(member, supersededGraceMs);
      isBlocked = true;
    }
    const isKnown = this.#known.has(textOf(item));
    if (isKnown || item.order === 'start' && (isBlocked || item.rank !== 0 && item.launch.master === null)) return;
    if (item.order === 'keep') this.#bury(item); // P5
    else this.#start(item, item.launch);
  }

  #start({ job, epoch, rank }: MemberKey, launch: MemberLaunch): void {
    const program = this.#scenario.programs[launch.argv[0] ?? ''] ?? this.#scenario.programs['*'];
    if (!program) throw new Error('the scenario has no program for every other');
    // By what the program is and which try it is, not by the job's id: a run with the same seed behaves the same.
    const random = seeded(this.#scenario.seed, ...launch.argv, rank, Number(BigInt(epoch) & 0xffff_ffffn));
    const member: SimulatedMember = {
      key: { job, epoch, rank }, port: portMin + (this.#ports++ % portsMax), devices: launch.devices, program,
      ending: pick(random, program.endings),
      runMs: program.runMs && within(random, program.runMs),
      stopMs: random() < program.ignoresStop ? undefined : within(random, program.stopMs),
      isReady: false, isStopping: false, outcome: undefined, timer: undefined, killer: undefined,
    };
    this.#known.set(textOf(member.key), member);
    this.#events.count('started');
    if ('refused' in member.ending) return this.#end(member, { state: 'refused', code: member.ending.refused, detail: 'by the scenario' });
    member.timer = setTimeout(() => this.#ready(member), within(random, program.startMs));
    this.#events.changed();
  }

  #ready(member: SimulatedMember): void {
    member.isReady = true;
    if (member.runMs !== undefined) member.timer = setTimeout(() => this.#finish(member), member.runMs);
    this.#events.changed();
  }

  #finish(member: SimulatedMember): void {
    const { ending } = member;
    if ('signal' in ending) this.#end(member, { state: 'exited', exitCode: null, signal: ending.signal });
    else this.#end(member, { state: 'exited', exitCode: 'exitCode' in ending ? ending.exitCode : 0, signal: null });
  }

  #stop(item: StopItem): void {
    if (item.reason === forgedReason) this.#events.count('misled');
    const member = this.#known.get(textOf(item));
    if (!member) this.#bury(item); // P7
    else if (!member.outcome) this.#order(member, item.graceMs);
  }

  #order(member: SimulatedMember, graceMs: number): void {
    if (member.isStopping) return;
    member.isStopping = true;
    this.#events.count('stopped');
    member.killer = setTimeout(() => {
      this.#events.count('killed');
      this.#end(member, { state: 'exited', exitCode: null, signal: 'SIGKILL' });
    }, graceMs);
    if (member.stopMs === undefined || member.stopMs >= graceMs) return;
    clearTimeout(member.timer);
    member.timer = setTimeout(() => this.#end(member, { state: 'exited', exitCode: failedByStop, signal: null }), member.stopMs);
  }

  /** A tombstone: it reports gone, and blocks a start that comes late (P5, P7). */
  #bury({ job, epoch, rank }: MemberKey): void {
    const key = { job, epoch, rank };
    this.#known.set(textOf(key), {
      key, port: 0, devices: [], program: { startMs: [0, 0], stopMs: [0, 0], ignoresStop: 0, endings: [{ weight: 1, exitCode: 0 }] }, ending: { weight: 1, exitCode: 0 },
      runMs: undefined, stopMs: undefined, isReady: false, isStopping: false, outcome: { state: 'gone' }, timer: undefined, killer: undefined,
    });
    this.#events.count('buried');
    this.#events.changed();
  }

  #end(member: SimulatedMember, outcome: Outcome): void {
    if (member.outcome) return;
    clearTimers(member);
    member.outcome = outcome;
    if (outcome.state !== 'gone') this.#events.count(outcome.state);
    this.#events.changed();
  }

  /** P8: an end is kept until the control plane has it. */
  #acknowledge(key: MemberKey): void {
    if (this.#known.get(textOf(key))?.outcome) this.#known.delete(textOf(key));
  }
}

function clearTimers(member: SimulatedMember): void {
  clearTimeout(member.timer);
  clearTimeout(member.killer);
}

function observationOf({ key, outcome, isReady, port, devices }: SimulatedMember): MemberObservation {
  if (outcome?.state === 'exited') return { ...key, ...outcome, ...(key.rank === 0 ? { address, port } : {}) };
  if (outcome) return { ...key, ...outcome };
  return { ...key, state: isReady ? 'ready' : 'accepted', address, port, pid: 1, devices };
}
