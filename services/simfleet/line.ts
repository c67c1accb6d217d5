/** A node's way to the control plane, disturbed as the scenario says. Where nothing is on, it is the connection itself. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Beat, MemberKey } from '../fleet/model.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { forgedReason } from './members.ts';
import { within, type RangeMs, type Random } from './random.ts';
import type { FaultKind } from './scenario.ts';
import type { Statistics } from './statistics.ts';

export interface Disturbances {
  /** whether that is on now, and its delay */
  on(kind: FaultKind): { readonly delayMs: RangeMs } | undefined;
}

interface LineDeps {
  readonly bus: Pick<Bus, 'request'>;
  readonly disturbances: Disturbances;
  readonly statistics: Statistics;
  readonly random: Random;
  /** whom a forged stop names */
  readonly members: () => readonly MemberKey[];
}

const isAnswer = (value: unknown): value is Answer => typeof value === 'object' && value !== null && 'generation' in value;
const isRefusal = (value: unknown): boolean => typeof value === 'object' && value !== null && 'refused' in value;

export class Line implements Pick<Bus, 'request'> {
  readonly #deps: LineDeps;
  #older: { readonly beat: unknown; readonly answer: Answer } | undefined;

  constructor(deps: LineDeps) { this.#deps = deps; }

  async request(subject: string, value: unknown, timeoutMs: number): Promise<unknown> {
    const { disturbances, statistics, random, bus } = this.#deps;
    statistics.count('beats');
    if (disturbances.on('silence')) return this.#lose(timeoutMs);
    const slowness = disturbances.on('slowness');
    if (slowness) await delay(Math.min(timeoutMs, within(random, slowness.delayMs)));
    this.#sendExtra(subject, value as Beat, timeoutMs);
    const sentMs = performance.now();
    const answer = await bus.request(subject, value, timeoutMs).catch((error: unknown) => {
      statistics.count('unanswered');
      throw error;
    });
    if (disturbances.on('deafness')) return this.#lose(timeoutMs);
    statistics.count(isRefusal(answer) ? 'refused beats' : 'answers');
    if (!slowness) statistics.beat(performance.now() - sentMs);
    const told = disturbances.on('badAnswers') && isAnswer(answer) ? this.#forge(answer) : answer;
    if (isAnswer(answer) && answer.hello !== true) this.#older = { beat: value, answer };
    return told;
  }

  async #lose(timeoutMs: number): Promise<never> {
    this.#deps.statistics.count('unanswered');
    await delay(timeoutMs);
    throw new Error('lost on the way');
  }

  /** Beats beside the real one; nobody waits for their answers. */
  #sendExtra(subject: string, beat: Beat, timeoutMs: number): void {
    const { disturbances, bus, statistics, random } = this.#deps;
    const extra = [
      ...disturbances.on('duplicates') ? [beat] : [],
      ...disturbances.on('staleBeats') && this.#older ? [this.#older.beat] : [],
      ...disturbances.on('badBeats') ? [badBeat(beat, random)] : [],
    ];
    for (const one of extra) {
      bus.request(subject, one, timeoutMs).then((answer) => statistics.count(isRefusal(answer) ? 'refused beats' : 'answers'), () => statistics.count('unanswered'));
    }
  }

  /** None of these may be followed: each is one that P3 has a rule for. */
  #forge(answer: Answer): unknown {
    this.#deps.statistics.count('forged answers');
    const stop = this.#deps.members().map((key) => ({ ...key, reason: forgedReason, graceMs: 0 }));
    const forgeries: readonly unknown[] = [
      {}, { ...answer, run: null }, 'no answer',
      { ...answer, clusterId: `${answer.clusterId}-other`, stop },
      { ...answer, incarnation: Math.max(0, answer.incarnation - 1), stop },
      { ...answer, echo: answer.echo - 1, stop },
      { ...answer, session: `${BigInt(answer.session) + 1n}`, hello: undefined, stop },
      ...this.#older ? [this.#older.answer] : [],
    ];
    return forgeries[Math.floor(this.#deps.random() * forgeries.length)];
  }
}

/** Each is refused: by its shape, by its subject, or by its age. */
function badBeat(beat: Beat, random: Random): unknown {
  const bad: readonly unknown[] = [
    null, 'beat', [], { ...beat, node: 'someone-else' }, { ...beat, sequence: -1 }, { ...beat, session: 'x' }, { ...beat, members: [{ job: 'none' }] },
    { ...beat, clusterId: 'another' }, { ...beat, credentialVersion: beat.credentialVersion + 1 }, { ...beat, bootId: '' }, { ...beat, incarnation: 1e12 },
  ];
  return bad[Math.floor(random() * bad.length)];
}
