/** Appends an event to the outbox, in the transaction of the change that it tells of. */
import { sql } from 'kysely';
import { afterCommit, type Tx } from '../platform/db.ts';
import type { Event } from './model.ts';

type Waker = () => void;
let wakeReaders: Waker = () => {};

/** Says how readers are woken after a commit: once a process, when it has its NATS connection. Without it they poll. */
export function wakeReadersBy(waker: Waker): void {
  wakeReaders = waker;
}

/**
 * Call it after the state update, so that event ids follow the object's own order (design.md §3.1). Nothing here
 * notifies inside the transaction: NOTIFY in a hot one cuts commits to a fifth (stack.md SL7).
 */
export async function appendEvent(tx: Tx, ...events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ key, version, kind, payload }) => ({ key, version: version.toString(), kind, payload }));
  // One parameter, whatever the number; rows are inserted, and so numbered, in the order of the array.
  await sql`
    insert into outbox (key, version, kind, payload)
    select key, version, kind, payload from json_to_recordset(${JSON.stringify(rows)}) as x (key text, version bigint, kind text, payload jsonb)`.execute(tx);
  afterCommit(tx, 'outbox', () => wakeReaders());
}
