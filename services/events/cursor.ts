/** How far a durable reader has come. */
import { sql } from 'kysely';
import type { Db } from '../platform/db.ts';

/** Where to go on, and in which life of the cluster. */
export async function readCursor(db: Db, reader: string): Promise<{ readonly pos: bigint; readonly incarnation: number }> {
  const { rows } = await sql<{ pos: bigint; incarnation: number }>`
    select coalesce(r.pos, s.kept_from_pos - 1) as pos, c.incarnation
    from cluster c cross join event_sequence s left join event_cursor r on r.reader = ${reader}`.execute(db);
  return rows[0] ?? { pos: 0n, incarnation: 1 };
}

/** Never back: of two readers of one name the slower one changes nothing. */
export async function moveCursor(db: Db, reader: string, pos: bigint): Promise<void> {
  await sql`
    insert into event_cursor (reader, pos, moved_at) values (${reader}, ${pos}, clock_timestamp())
    on conflict (reader) do update set pos = excluded.pos, moved_at = excluded.moved_at where event_cursor.pos < excluded.pos`.execute(db);
}
