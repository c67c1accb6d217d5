/**
 * Dead letters: events that a consumer could not handle within its deliveries. DEAD, until an operator redrives one;
 * REDRIVEN, until its consumer has tried; then HANDLED, or DEAD again with the new error.
 */
import { sql } from 'kysely';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId, newId } from '../platform/ids.ts';
import type { EventMessage } from './message.ts';
import type { EventKind, EventPayload } from './model.ts';

export const deadLetterStates = ['DEAD', 'REDRIVEN', 'HANDLED'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

/** Core NATS subject on which a redrive is told. Carries nothing; consumers also poll. */
export const redriveWakeSubject = 'muster.wake.redrive';

/** A stack trace is for the log. */
const errorCharsMax = 1_000;
/** Handled one after the other; the rest comes in the next turn. */
const redrivenPerTurn = 50;

export interface DeadLetter {
  readonly id: string;
  readonly consumer: string;
  readonly pos: bigint;
  readonly key: string;
  readonly kind: EventKind;
  readonly version: bigint;
  readonly payload: EventPayload;
  readonly error: string;
  readonly deliveries: number;
  readonly state: DeadLetterState;
  readonly createdAt: Date;
  readonly redrivenAt: Date | null;
}

export interface PutAside {
  readonly consumer: string;
  readonly message: EventMessage;
  readonly error: string;
  readonly deliveries: number;
}

/** Writes the dead letter and the inbox row together: a delivery that comes again is a repetition. */
export async function putAside(db: Db, { consumer, message, error, deliveries }: PutAside): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.insertInto('dead_letter').values({
      id: newId('dead'), consumer, pos: BigInt(message.pos), key: message.key, kind: message.kind, version: BigInt(message.version),
      payload: JSON.stringify(message.payload), error: error.slice(0, errorCharsMax), deliveries, created_at: sql<Date>`clock_timestamp()`,
    }).onConflict((conflict) => conflict.columns(['consumer', 'pos']).doNothing()).execute();
    await tx.insertInto('inbox').values({ consumer, pos: BigInt(message.pos) }).onConflict((conflict) => conflict.doNothing()).execute();
  });
}

export interface DeadLetterFilter {
  readonly state?: DeadLetterState;
  readonly consumer?: string;
}

/** Newest first. @param after id of the last one of the page before */
export async function listDeadLetters(db: Db, filter: DeadLetterFilter, after: string | undefined, limit: number): Promise<DeadLetter[]> {
  let query = db.selectFrom('dead_letter').selectAll().orderBy('id', 'desc').limit(limit);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.consumer !== undefined) query = query.where('consumer', '=', filter.consumer);
  if (after !== undefined) query = query.where('id', '<', after);
  return (await query.execute()).map(toDeadLetter);
}

/**
 * Asks its consumer to handle it again. Repeating it while it waits changes nothing.
 *
 * @throws `dead_letter_not_found` 404
 */
export async function redriveDeadLetter(tx: Tx, id: string): Promise<DeadLetter> {
  if (!isId('dead', id)) throw problem('dead_letter_not_found', { deadLetter: JSON.stringify(id.slice(0, 64)) });
  const row = await tx.updateTable('dead_letter').set({ state: 'REDRIVEN', redriven_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id).where('state', '=', 'DEAD').returningAll().executeTakeFirst()
    ?? await tx.selectFrom('dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw problem('dead_letter_not_found', { deadLetter: id });
  return toDeadLetter(row);
}

export interface RedrivenLetter { readonly id: string; readonly consumer: string; readonly message: EventMessage }

export async function takeRedriven(db: Db, consumer: string): Promise<RedrivenLetter[]> {
  const rows = await db.selectFrom('dead_letter').selectAll().where('consumer', '=', consumer).where('state', '=', 'REDRIVEN')
    .orderBy('redriven_at').limit(redrivenPerTurn).execute();
  if (rows.length === 0) return [];
  const { incarnation } = await db.selectFrom('cluster').select('incarnation').executeTakeFirstOrThrow();
  return rows.map((row) => ({
    id: row.id,
    consumer,
    message: {
      incarnation, pos: row.pos.toString(), key: row.key, version: row.version.toString(), kind: row.kind as EventKind,
      payload: row.payload as EventPayload, createdAt: row.created_at.toISOString(),
    },
  }));
}

/** Its inbox row says handled, from when it was put aside. */
export async function forgetHandled(db: Db, { consumer, message }: RedrivenLetter): Promise<void> {
  await db.deleteFrom('inbox').where('consumer', '=', consumer).where('pos', '=', BigInt(message.pos)).execute();
}

export async function markHandled(db: Db, id: string): Promise<void> {
  await db.updateTable('dead_letter').set({ state: 'HANDLED' }).where('id', '=', id).where('state', '=', 'REDRIVEN').execute();
}

export async function markDead(db: Db, id: string, error: string): Promise<void> {
  await db.updateTable('dead_letter').set(({ eb }) => ({ state: 'DEAD', error: error.slice(0, errorCharsMax), deliveries: eb('deliveries', '+', 1) }))
    .where('id', '=', id).where('state', '=', 'REDRIVEN').execute();
}

function toDeadLetter(row: {
  id: string; consumer: string; pos: bigint; key: string; kind: string; version: bigint; payload: unknown; error: string;
  deliveries: number; state: string; created_at: Date; redriven_at: Date | null;
}): DeadLetter {
  return {
    id: row.id, consumer: row.consumer, pos: row.pos, key: row.key, kind: row.kind as EventKind, version: row.version,
    payload: row.payload as EventPayload, error: row.error, deliveries: row.deliveries, state: row.state as DeadLetterState,
    createdAt: row.created_at, redrivenAt: row.redriven_at,
  };
}
