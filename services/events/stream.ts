/** Follows the outbox for one client: from Postgres until it has caught up, then from the process's feed (SV27). */
import type { FastifyReply } from 'fastify';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { SseStream, SseStreams } from '../platform/sse.ts';
import { cutWhenScopeChanges } from '../platform/sse-rights.ts';
import type { EventFeed } from './feed.ts';
import type { TeamScope } from '../platform/authz-scope.ts';
import { jobKey, type EventKind, type SequencedEvent } from './model.ts';
import { lastPosition, readEvents } from './read.ts';
import { toEventView } from './view.ts';

export interface EventFilter {
  readonly kinds?: readonly EventKind[] | undefined;
  readonly key?: string | undefined;
  readonly job?: string | undefined;
  readonly teamId?: string | undefined;
}

export interface EventStreamRequest {
  /** undefined: from now on */
  readonly afterPos: bigint | undefined;
  readonly filter: EventFilter;
  /** teams whose events the client may have; what belongs to no team, as a node, is for those who may see all */
  readonly scope: TeamScope;
  /** asked again while the stream is open; a client whose rights have changed is cut off */
  readonly scopeNow: () => Promise<TeamScope | undefined>;
}

export interface EventStreamDeps {
  readonly db: Db;
  readonly log: Log;
  readonly feed: EventFeed;
  readonly streams: SseStreams;
}

const pageRowsMax = 500;

/**
 * Opens the stream; it goes on by itself until the client is gone.
 *
 * @throws `gone` 410, when events after `afterPos` are no longer kept, or it is of another life of the database
 * @throws `too_many_streams` 503
 */
export async function streamEvents(deps: EventStreamDeps, reply: FastifyReply, { afterPos, filter, scope, scopeNow }: EventStreamRequest): Promise<void> {
  deps.streams.requireRoom();
  const last = await lastPosition(deps.db);
  const pos = afterPos ?? last;
  if (pos > last) throw problem('gone', { after: pos, last });
  await readEvents(deps.db, pos, 1);
  const client = new Client(openWatched(deps, reply, scope, scopeNow), pos, filter, scope);
  void client.run(deps).catch((error: unknown) => {
    deps.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'an event stream was cut');
    client.cut();
  });
}

class Client {
  readonly #stream: SseStream;
  readonly #filter: EventFilter;
  readonly #scope: TeamScope;
  #pos: bigint;

  constructor(stream: SseStream, pos: bigint, filter: EventFilter, scope: TeamScope) {
    this.#stream = stream;
    this.#pos = pos;
    this.#filter = filter;
    this.#scope = scope;
  }

  /** From Postgres at the client's own pace, then from the feed while it keeps up, and back when its buffer is full. */
  async run({ db, feed }: EventStreamDeps): Promise<void> {
    const { over } = this.#stream;
    await feed.ready(over);
    while (!over.aborted) {
      if (await this.#ridesAlong(feed)) continue;
      for (const event of await readEvents(db, this.#pos, pageRowsMax)) {
        this.#pos = event.pos;
        if (this.#isWanted(event)) await this.#stream.send(toSse(event));
        else this.#stream.passed(event.pos.toString());
        if (over.aborted) return;
      }
    }
  }

  cut(): void {
    this.#stream.cut();
  }

  /** Until the client is gone or falls behind. @returns false: it has not caught up yet */
  async #ridesAlong(feed: EventFeed): Promise<boolean> {
    const left = Promise.withResolvers<void>();
    const { over } = this.#stream;
    let isFull = false;
    const leave = feed.join(this.#pos, {
      take: (event) => {
        if (isFull) return;
        isFull = !this.#take(event);
        if (isFull) left.resolve();
      },
      cut: () => this.cut(),
    });
    if (!leave) return false;
    over.addEventListener('abort', () => left.resolve(), { once: true });
    if (!over.aborted) await left.promise;
    leave();
    await this.#stream.drained();
    return true;
  }

  #isWanted(event: SequencedEvent): boolean {
    return isWithin(event, this.#scope) && matches(event, this.#filter);
  }

  #take(event: SequencedEvent): boolean {
    this.#pos = event.pos;
    if (this.#isWanted(event)) return this.#stream.offer(toSse(event));
    this.#stream.passed(event.pos.toString());
    return true;
  }
}

function openWatched({ streams }: EventStreamDeps, reply: FastifyReply, scope: TeamScope, scopeNow: EventStreamRequest['scopeNow']): SseStream {
  const stream = streams.open(reply);
  cutWhenScopeChanges(stream, scope, scopeNow);
  return stream;
}

export function isWithin({ payload }: SequencedEvent, scope: TeamScope): boolean {
  if (scope.isEveryTeam) return true;
  return typeof payload['team'] === 'string' && scope.includes(payload['team']);
}

const toSse = (event: SequencedEvent) => ({ id: event.pos.toString(), event: event.kind, data: toEventView(event) });

export function matches(event: SequencedEvent, { kinds, key, job, teamId }: EventFilter): boolean {
  if (kinds && !kinds.includes(event.kind)) return false;
  if (key !== undefined && event.key !== key) return false;
  if (job !== undefined && event.key !== jobKey(job) && event.payload['job'] !== job) return false;
  return teamId === undefined || event.payload['team'] === teamId;
}
