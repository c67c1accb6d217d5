/** Reads the outbox by position. */
import { sql } from 'kysely';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import type { EventKind, EventPayload, SequencedEvent } from './model.ts';


/**
 * The next rows after `pos`, in order. Positions have no holes and no row gets one below another reader's cursor, so a
 * reader that continues after the last `pos` it was given misses nothing.
 *
 * @throws `gone` 410, when rows after `pos` have been dropped by retention
 */
export async function readEvents(db: Db, pos: bigint, limit: number): Promise<readonly SequencedEvent[]> {
  // One statement, one snapshot: retention raises kept_from_pos before it drops, so what is missing here is told here.
  const { rows } = await sql<EventRow>`
    select s.kept_from_pos, o.pos, o.key, o.version, o.kind, o.payload, o.created_at
    from event_sequence s left join lateral (
      select pos, key, version, kind, payload, created_at from outbox where pos > ${pos} order by pos limit ${limit}
    ) o on true order by o.pos`.execute(db);
  const keptFromPos = rows[0]?.kept_from_pos ?? 1n;
  if (pos + 1n < keptFromPos) throw problem('gone', { after: pos, keptFrom: keptFromPos });
  return rows.filter(isFound).map(toEvent);
}

/** One numbered row, or undefined where retention has dropped it. */
export async function readEvent(db: Db, pos: bigint): Promise<SequencedEvent | undefined> {
  const { rows } = await sql<FoundRow>`select pos, key, version, kind, payload, created_at from outbox where pos = ${pos}`.execute(db);
  return rows[0] && toEvent(rows[0]);
}

/** The last position given so far. */
export async function lastPosition(db: Db): Promise<bigint> {
  const { last_pos } = await db.selectFrom('event_sequence').select('last_pos').executeTakeFirstOrThrow();
  return last_pos;
}

interface FoundRow {
  readonly pos: bigint;
  readonly key: string;
  readonly version: bigint;
  readonly kind: string;
  readonly payload: EventPayload;
  readonly created_at: Date;
}
type EventRow = { readonly kept_from_pos: bigint } & (FoundRow | { readonly pos: null });

const isFound = (row: EventRow): row is { readonly kept_from_pos: bigint } & FoundRow => row.pos !== null;

const toEvent = (row: FoundRow): SequencedEvent => ({
  pos: row.pos, key: row.key, version: row.version, kind: row.kind as EventKind, payload: row.payload, createdAt: row.created_at,
});
