/** What a consumer has handled: at-least-once delivery becomes one effect (design.md §3.1, SV16, SV20). */
import { sql } from 'kysely';
import type { Db, Tx } from '../platform/db.ts';
import type { EventMessage } from './message.ts';

/**
 * new: handle it · handled: a repetition · lower: a higher version of its key was handled, which told more ·
 * foreign: of another life of the database, whose positions mean nothing here
 */
export type Standing = 'new' | 'handled' | 'lower' | 'foreign';

export async function standingOf(db: Db, consumer: string, message: EventMessage): Promise<Standing> {
  const { rows } = await sql<{ incarnation: number; handled: boolean; version: bigint | null }>`
    select c.incarnation,
      exists (select from inbox i where i.consumer = ${consumer} and i.pos = ${message.pos}) as handled,
      (select v.version from inbox_version v where v.consumer = ${consumer} and v.key = ${message.key}) as version
    from cluster c`.execute(db);
  const row = rows[0];
  if (row?.incarnation !== message.incarnation) return 'foreign';
  if (row.handled) return 'handled';
  // P26: placed is told whatever else was: it starts the run that the higher version's signal did not find.
  if (message.kind === 'job.placed' || row.version === null) return 'new';
  return BigInt(message.version) < row.version ? 'lower' : 'new';
}

/** Call it in the transaction of the effect; after the effect, where that is outside of Postgres and may happen twice. */
export async function recordHandled(db: Db | Tx, consumer: string, message: EventMessage): Promise<void> {
  await sql`
    with seen as (
      insert into inbox (consumer, pos, received_at) values (${consumer}, ${message.pos}, clock_timestamp()) on conflict do nothing
    )
    insert into inbox_version (consumer, key, version, seen_at) values (${consumer}, ${message.key}, ${message.version}, clock_timestamp())
    on conflict (consumer, key) do update
      set version = greatest(inbox_version.version, excluded.version), seen_at = excluded.seen_at`.execute(db);
}
