/**
 * Keeps the model up to date: rebuilt at take-over, then every event names a row that is read again (design.md §3.1:
 * events are dirty keys, never deltas). The position is taken before the rows are read, so nothing falls between.
 */
import type { SequencedEvent } from '../events/model.ts';
import type { EventSource } from '../events/source.ts';
import { isActive, isEnded, type JobState } from '../jobs/model.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../platform/db.ts';
import type { ReasonBook } from './reasons.ts';
import type { FleetState } from './state.ts';
import { readClockOffsetMs, readNodes, readNodeVersions, readPending, readUnsupervisedStarts } from './store.ts';

/** Events of one read; the rows that they name are read together. */
const eventsPerRead = 1_000;

interface FeedDeps {
  readonly db: Db;
  readonly events: EventSource;
  readonly state: FleetState;
  readonly book: ReasonBook;
  readonly clock: Clock;
}

export class Feed {
  readonly #deps: FeedDeps;
  readonly #dirtyJobs = new Set<string>();
  readonly #dirtyNodes = new Set<string>();
  /** own placements whose event has not come by yet */
  readonly #echoes = new Map<string, bigint>();
  #pos = 0n;
  #offsetMs = 0;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** The database's clock, as well as this process knows it. The commit asks the real one. */
  nowMs(): number { return this.#deps.clock.now() + this.#offsetMs; }

  get position(): bigint { return this.#pos; }

  async rebuild(): Promise<void> {
    const { db, events, state, book } = this.#deps;
    this.#pos = await events.position();
    this.#offsetMs = await readClockOffsetMs(db);
    for (const node of await readNodes(db)) state.setNode(node);
    for (const { job, written } of await readPending(db)) {
      state.setPending(job, this.nowMs());
      book.read(job, written, this.nowMs());
    }
    state.unsupervisedStarts = await readUnsupervisedStarts(db);
  }

  /** Reads all events there are and the rows that they name. */
  async follow(): Promise<void> {
    for (let more = true; more;) {
      const events = await this.#deps.events.after(this.#pos, eventsPerRead);
      for (const event of events) this.#note(event);
      await this.#refresh();
      this.#pos = events.at(-1)?.pos ?? this.#pos;
      more = events.length === eventsPerRead;
    }
  }

  /** Rows that a commit found otherwise than the model has them. */
  doubt(jobId: string, nodeIds: Iterable<string>): void {
    this.#dirtyJobs.add(jobId);
    for (const id of nodeIds) this.#dirtyNodes.add(id);
  }

  /** The event of this own placement tells nothing new. */
  expectEcho(jobId: string, version: bigint): void {
    this.#echoes.set(jobId, version);
  }

  /** What no event tells: supervision's first reads, the clock, and nodes whose event was missed. @returns how many were missed */
  async sweep(): Promise<number> {
    const { db, state } = this.#deps;
    state.unsupervisedStarts = await readUnsupervisedStarts(db);
    this.#offsetMs = await readClockOffsetMs(db);
    const versions = await readNodeVersions(db);
    let missed = 0;
    for (const id of new Set([...versions.keys(), ...state.nodes.keys()])) {
      if (versions.get(id) === state.nodes.get(id)?.version) continue;
      this.#dirtyNodes.add(id);
      missed++;
    }
    return missed;
  }

  #note(event: SequencedEvent): void {
    if (event.kind === 'node.changed') {
      const id = String(event.payload['node'] ?? event.key.slice('node/'.length));
      if ((this.#deps.state.nodes.get(id)?.version ?? -1n) < event.version) this.#dirtyNodes.add(id);
      return;
    }
    const jobId = event.payload['job'];
    if (typeof jobId !== 'string') return;
    if (event.kind === 'job.placed' && this.#echoes.get(jobId) === event.version) {
      this.#echoes.delete(jobId);
      return;
    }
    const waits = this.#deps.state.pending(jobId) !== undefined;
    const state = event.payload['state'] as JobState | undefined;
    // A job that is under way or over holds what it holds: its nodes tell of what becomes free.
    if (waits || (state !== undefined && !isActive(state) && !isEnded(state))) this.#dirtyJobs.add(jobId);
  }

  async #refresh(): Promise<void> {
    const { db, state, book } = this.#deps;
    if (this.#dirtyNodes.size > 0) {
      const found = await readNodes(db, [...this.#dirtyNodes]);
      for (const id of this.#dirtyNodes) state.removeNode(id);
      for (const node of found) state.setNode(node);
      for (const id of state.tiedTo(this.#dirtyNodes)) this.#dirtyJobs.add(id);
      this.#dirtyNodes.clear();
    }
    if (this.#dirtyJobs.size > 0) {
      const found = await readPending(db, [...this.#dirtyJobs]);
      for (const id of this.#dirtyJobs) {
        state.removePending(id);
        book.forget(id);
      }
      for (const { job, written } of found) {
        state.setPending(job, this.nowMs());
        book.read(job, written, this.nowMs());
      }
      this.#dirtyJobs.clear();
    }
  }
}
