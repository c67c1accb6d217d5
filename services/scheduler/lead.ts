/**
 * The leading scheduler: read what changed, plan, commit, tell why the rest waits, wait to be woken. It calls no node
 * and no workflow: a slow agent or Temporal away hold nobody's start back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EventSource } from '../events/source.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import type { Latch } from '../platform/latch.ts';
import type { Leadership } from '../platform/leader.ts';
import type { Log } from '../platform/log.ts';
import { commitPlacements, type CommitOutcome } from './commit.ts';
import { Feed } from './feed.ts';
import type { RoundPlan, Verdict } from './model.ts';
import { ReasonBook } from './reasons.ts';
import { round } from './round.ts';
import { FleetState } from './state.ts';
import { readCluster } from './store.ts';

export interface SchedulerDeps {
  readonly db: Db;
  readonly events: EventSource;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Pick<Config, 'placementBatchMembersMax' | 'pollMs' | 'sweepMs' | 'maxUnsupervisedAttempts'>;
  /** opened by whoever hears of new outbox rows */
  readonly woken: Latch;
  /** told after each round that tried to place something: its time, and the verdict of each item */
  readonly onRound?: (elapsedMs: number, verdicts: readonly Verdict[]) => void;
}

/** A round plans that many batches, so that asking every shape once is paid for by more than one commit. */
const batchesPerRound = 5;
/** After a commit that placed nothing: its rows are read again and the next try comes soon, then ever later, up to the poll. */
const retryMinMs = 50;

/** Leads until the leadership is over. Any error drops the model: what was in flight is read again (design.md §3.4). */
export async function leadScheduling(deps: SchedulerDeps, leadership: Leadership): Promise<void> {
  while (!leadership.over.aborted) {
    try {
      const { incarnation, frozen } = await readCluster(deps.db);
      // A restore is being reconciled: nothing is placed, and the model would be of the old life (P35).
      if (frozen) await deps.woken.wait(deps.config.pollMs, leadership.over);
      else if ((await new Term(deps, leadership, incarnation).serve()) === 'token_lost') return;
    } catch (error) {
      deps.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'scheduling was interrupted; the model is rebuilt');
      await delay(deps.config.pollMs, undefined, { signal: leadership.over }).catch(() => undefined);
    }
  }
}

type Ended = 'over' | 'token_lost' | 'frozen';

/** One model's life: from its rebuild to the first error, or to the end of the leadership. */
class Term {
  readonly #deps: SchedulerDeps;
  readonly #leadership: Leadership;
  readonly #incarnation: number;
  readonly #state: FleetState;
  readonly #book = new ReasonBook();
  readonly #feed: Feed;

  constructor(deps: SchedulerDeps, leadership: Leadership, incarnation: number) {
    this.#deps = deps;
    this.#leadership = leadership;
    this.#incarnation = incarnation;
    this.#state = new FleetState(deps.config.maxUnsupervisedAttempts);
    this.#feed = new Feed({ db: deps.db, events: deps.events, state: this.#state, book: this.#book, clock: deps.clock });
  }

  async serve(): Promise<Ended> {
    const { log, clock, config } = this.#deps;
    await this.#feed.rebuild();
    log.info({ nodes: this.#state.nodes.size, waiting: this.#state.waiting, pos: String(this.#feed.position) }, 'model rebuilt');
    let sweptAtMs = clock.now();
    let fruitless = 0;
    while (!this.#leadership.over.aborted) {
      await this.#feed.follow();
      for (const job of this.#state.wakeDue(this.#feed.nowMs())) this.#book.joined(job);
      const { plan, refused, ended } = await this.#placeOnce();
      if (ended) return ended;
      await this.#book.write(this.#deps.db);
      if (clock.now() - sweptAtMs >= config.sweepMs) {
        sweptAtMs = clock.now();
        const missed = await this.#feed.sweep();
        if (missed > 0) log.warn({ missed }, 'nodes had changed without an event');
      }
      fruitless = refused > 0 && refused === plan.placements.length ? fruitless + 1 : 0;
      if (plan.placements.length > refused || this.#book.pending) continue;
      await this.#deps.woken.wait(this.#pauseMs(fruitless), this.#leadership.over);
    }
    return 'over';
  }

  async #placeOnce(): Promise<{ readonly plan: RoundPlan; readonly refused: number; readonly ended?: 'token_lost' | 'frozen' }> {
    const { db, config, log, onRound } = this.#deps;
    const startedAtMs = performance.now();
    const plan = round(this.#state, { membersMax: config.placementBatchMembersMax * batchesPerRound });
    this.#book.note(plan, this.#state, this.#feed.nowMs());
    if (plan.placements.length === 0) return { plan, refused: 0 };
    const outcome = await commitPlacements(db, {
      leadership: this.#leadership, incarnation: this.#incarnation, items: plan.placements, membersMax: config.placementBatchMembersMax,
    });
    const refused = this.#apply(plan, outcome);
    const all = Array.from(outcome.items.values(), (item) => item.verdict);
    onRound?.(performance.now() - startedAtMs, all);
    const verdicts = new Set(all);
    log.debug({ ...plan.trace, refused }, 'round');
    if (verdicts.has('token_lost')) return { plan, refused, ended: 'token_lost' };
    if (verdicts.has('frozen')) return { plan, refused, ended: 'frozen' };
    return { plan, refused };
  }

  /** @returns how many were refused */
  #apply(plan: RoundPlan, outcome: CommitOutcome): number {
    let refused = 0;
    for (const placement of plan.placements) {
      const { job, members } = placement;
      const committed = outcome.items.get(job.id)!;
      if (committed.verdict === 'placed') {
        this.#state.applyPlacement(placement);
        this.#book.forget(job.id);
        this.#feed.expectEcho(job.id, committed.version!);
      } else {
        refused++;
        const about = committed.verdict === 'node_changed' || committed.verdict === 'no_room' ? members.map((member) => member.nodeId) : [];
        this.#feed.doubt(job.id, about);
      }
    }
    this.#state.setNodeVersions(outcome.nodeVersions);
    return refused;
  }

  /** A missed wake-up costs one poll; a back-off that ends sooner wakes itself. */
  #pauseMs(fruitless: number): number {
    const due = this.#state.nextDueMs();
    const untilDueMs = due === undefined ? Infinity : Math.max(1, due - this.#feed.nowMs());
    const untilRetryMs = fruitless === 0 ? Infinity : retryMinMs * 2 ** Math.min(fruitless - 1, 10);
    return Math.min(this.#deps.config.pollMs, untilDueMs, untilRetryMs);
  }
}
