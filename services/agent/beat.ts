/** The heartbeat: one request in flight, repeated after each answer, sooner when something changed (P1–P3). */
import { setTimeout as delay } from 'node:timers/promises';
import { subjects, type Answer, type Beat, type BeatRefusal, type MemberObservation, type NodeFacts } from '#services/fleet/model.ts';
import type { Log } from '#services/platform/log.ts';
import type { Bus } from '#services/platform/nats/bus.ts';
import { firstPosition, judge, parseAnswer, type Position } from './answers.ts';
import { reEnrolRemedy } from './enrol.ts';
import { monotonicMs } from './monotonic.ts';

export interface BeaterDeps {
  readonly node: string;
  readonly bootId: string;
  readonly credentialVersion: number;
  /** where the credential can change while it runs: its version now, and the hash of one that waits to be accepted */
  readonly rotation?: { version(): number; offer(): string | undefined };
  readonly clusterId: string;
  /** highest incarnation that an earlier process of this agent saw */
  readonly incarnation: number;
  readonly facts: NodeFacts;
  readonly heartbeatMs: number;
  readonly beatTimeoutMs: number;
  readonly bus: Pick<Bus, 'request'>;
  readonly observe: () => readonly MemberObservation[];
  /** follows the lists; the lease is extended before, and the incarnation kept */
  readonly apply: (answer: Answer, leaseUntilMs: number) => void;
  readonly onBeat?: (end: BeatEnd) => void;
  readonly log: Log;
}

/** after a beat without an answer; doubles up to the heartbeat */
const firstPauseMs = 100;
/** between two beats, however often something changes */
const gapMs = 5;

export type BeatEnd = 'applied' | 'hello' | 'dropped' | 'failed' | 'revoked';

export class Beater {
  readonly #deps: BeaterDeps;
  #position: Position;
  #sequence = 0;
  #heartbeatMs: number;
  #failures = 0;
  #isDue = false;
  #wake: () => void = () => undefined;
  /** facts go with the beats of a session until one is answered */
  #areFactsKnown = false;

  constructor(deps: BeaterDeps) {
    this.#deps = deps;
    this.#heartbeatMs = deps.heartbeatMs;
    this.#position = firstPosition(deps.clusterId, deps.incarnation);
  }

  /** Something changed here, or the control plane nudged: the next beat goes at once. */
  wake(): void {
    this.#isDue = true;
    this.#wake();
  }

  /** Beats until aborted, or until the credential is revoked. Members run on either way. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isDue = false;
      const end = await this.#beat();
      this.#deps.onBeat?.(end);
      if (end === 'revoked') return;
      await this.#pause(end, signal);
    }
  }

  async #beat(): Promise<BeatEnd> {
    const sentMs = monotonicMs();
    const beat = this.#compose();
    try {
      const value = await this.#deps.bus.request(subjects.beat(this.#deps.node), beat, this.#deps.beatTimeoutMs);
      return this.#take(parseAnswer(value), sentMs);
    } catch (error) {
      if (this.#failures === 0) this.#deps.log.warn({ err: error }, 'a beat got no answer; members run on');
      return 'failed';
    }
  }

  #compose(): Beat {
    this.#sequence += 1;
    const { node, bootId, facts, rotation } = this.#deps;
    const credentialVersion = rotation?.version() ?? this.#deps.credentialVersion;
    const nextSecretSha256 = rotation?.offer();
    const { clusterId, session, incarnation } = this.#position;
    return {
      node, bootId, credentialVersion, clusterId, session, incarnation, sequence: this.#sequence, members: this.#deps.observe(),
      ...this.#areFactsKnown ? {} : { facts },
      ...nextSecretSha256 === undefined ? {} : { nextSecretSha256 },
    };
  }

  #take(parsed: ReturnType<typeof parseAnswer>, sentMs: number): BeatEnd {
    if (!parsed) return this.#drop('not an answer');
    if ('refused' in parsed) return this.#takeRefusal(parsed);
    const { answer, skipped } = parsed;
    if (skipped > 0) this.#deps.log.error({ skipped }, 'an answer has items that this agent can’t read; they are left out');
    // The lease counts from the sending of the beat that is answered, so the answer must be to the one in flight.
    if (answer.echo !== this.#sequence) return this.#drop(`answers beat ${answer.echo} instead of ${this.#sequence}`);
    const verdict = judge(this.#position, answer, sentMs, monotonicMs());
    if (verdict.kind === 'drop') return this.#drop(verdict.why);
    this.#position = verdict.position;
    this.#heartbeatMs = answer.heartbeatMs;
    this.#areFactsKnown = answer.hello !== true;
    this.#deps.apply(answer, sentMs + answer.leaseTtlMs);
    return answer.hello ? 'hello' : 'applied';
  }

  #takeRefusal({ refused, detail }: BeatRefusal): BeatEnd {
    if (refused === 'credential_revoked') {
      this.#deps.log.error({ detail }, `this node's credential is not in force, so it sends no more beats: ${reEnrolRemedy}`);
      return 'revoked';
    }
    // Another process used this node's name with a newer session: ask for one, which shows who is alive (P1).
    if (refused === 'stale') this.#position = { ...this.#position, session: '0' };
    if (this.#failures === 0) this.#deps.log.warn({ refused, detail }, 'a beat was refused');
    return 'failed';
  }

  #drop(why: string): BeatEnd {
    this.#deps.log.warn({ why }, 'an answer was dropped (P3)');
    return 'dropped';
  }

  async #pause(end: BeatEnd, signal: AbortSignal): Promise<void> {
    this.#failures = end === 'failed' || end === 'dropped' ? this.#failures + 1 : 0;
    if (end === 'hello') return;
    // A local change doesn't hurry a control plane that is away.
    if (this.#failures > 0) return sleep(Math.min(this.#heartbeatMs, firstPauseMs * 2 ** Math.min(this.#failures - 1, 16)) * (0.5 + Math.random() / 2), signal);
    await sleep(gapMs, signal);
    if (!this.#isDue) await this.#idle(signal);
  }

  async #idle(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(this.#heartbeatMs, AbortSignal.any([signal, woken.signal]));
    this.#wake = () => undefined;
  }
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);
