/** Time passes by moving every stored instant into the past: the operations go by the database's clock, and no test waits. */
import { sql } from 'kysely';
import type { Db } from '#services/platform/db.ts';

const instants: Readonly<Record<string, readonly string[]>> = {
  node: ['lease_until', 'last_beat_at'],
  ingest_heartbeat: ['up_since', 'beat_at'],
  job: ['state_since', 'not_before', 'queue_deadline_at', 'vacate_deadline_at', 'waiting_since'],
  attempt: ['reserved_at', 'starting_at', 'running_at', 'ended_at'],
  ticket: ['deadline_at'],
  cluster: ['frozen_at'],
};

export async function passTime(db: Db, ms: number): Promise<void> {
  const moves = Object.entries(instants).map(([table, columns]) =>
    sql`${sql.raw(`moved_${table}`)} as (update ${sql.table(table)} set ${sql.join(columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(column)} - make_interval(secs => ${ms / 1000}::double precision)`))})`);
  await sql`with ${sql.join(moves)} select 1`.execute(db);
}
