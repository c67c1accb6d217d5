/** Gives outbox rows their `pos`: a cursor without holes that no late commit can slip behind (design.md §3.1, SV15). */
import { sql } from 'kysely';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';

/** Rows of one transaction: some ten milliseconds, so that nobody who finds the lock taken waits long. */
const batchRowsMax = 1_000;
/** Of this database only; any number will do, as long as nothing else of ours takes it. */
const sequencerLock = 7_390_111;

/** busy: another sequencer is at it, and what it numbers is not visible yet */
export type Sequenced = { readonly kind: 'numbered'; readonly rows: number; readonly more: boolean } | { readonly kind: 'busy' };

/**
 * Numbers the visible rows that have no position, in id order, at most a batch. Any reader may call it.
 *
 * `id` follows the order of inserts, and an operation inserts its event while it holds its object's lock: so ids rise
 * with each object's own order, but rows of lower id may commit later. They are simply numbered later.
 *
 * The lock is asked for in a statement of its own: inside the update the snapshot would predate the lock, and rows
 * were numbered twice when that was tried. It is a try, so that readers never queue up behind each other; it is bound
 * to the transaction, so that a sequencer that is killed between lock and commit leaves neither a lock nor a number.
 * Postgres makes a commit visible before it frees its locks: who gets the lock sees all earlier numbers.
 */
export async function sequenceOnce(db: Db, rowsMax = batchRowsMax): Promise<Sequenced> {
  return inTransaction(db, async (tx) => {
    if (!(await tryLock(tx))) return { kind: 'busy' };
    const rows = await numberRows(tx, rowsMax);
    return { kind: 'numbered', rows, more: rows === rowsMax };
  });
}

async function tryLock(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${sequencerLock}) as taken`.execute(tx);
  return rows[0]?.taken === true;
}

async function numberRows(tx: Tx, rowsMax: number): Promise<number> {
  const { rows } = await sql<{ rows: number }>`
    with due as (
      select id, created_at from outbox where pos is null order by id limit ${rowsMax}
    ), numbered as (
      select id, created_at, (select last_pos from event_sequence) + row_number() over (order by id) as pos from due
    ), written as (
      update outbox o set pos = n.pos from numbered n where o.id = n.id and o.created_at = n.created_at returning n.pos
    ), counted as (
      select count(*)::integer as rows, max(pos) as last_pos from written
    ), moved as (
      update event_sequence s set last_pos = c.last_pos from counted c where c.rows > 0
    )
    select rows from counted`.execute(tx);
  return rows[0]?.rows ?? 0;
}
