/**
 * Idempotency-Key: the answer is stored in the transaction of its effect, so a key has either both or neither. A
 * refusal rolls back and stores nothing: the same key may be used for the corrected request.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import Type from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inTransaction, type Db, type Tx } from './db.ts';
import { problem } from './errors.ts';

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$', description: 'Repeating a request with its key repeats its answer, not its effect' })),
});

export interface KeyedRequest {
  readonly owner: string;
  readonly key: string;
  readonly sha256: Buffer;
}

export interface StoredAnswer { readonly status: number; readonly body: unknown }

/**
 * Runs `work` in a transaction and answers with its result; with a key, once.
 *
 * @throws `idempotency_in_flight` 409 · `idempotency_reused` 422 · what `work` throws
 */
export async function answerOnce<Body>(db: Db, request: FastifyRequest, reply: FastifyReply, status: number, hours: number, work: (tx: Tx) => Promise<Body>): Promise<Body> {
  const keyed = keyOf(request);
  const answer = await inTransaction(db, async (tx) => {
    const stored = keyed && (await storedAnswer(tx, keyed, hours));
    if (stored) return { ...stored, replayed: true };
    const body = await work(tx);
    if (keyed) await storeAnswer(tx, keyed, { status, body });
    return { status, body, replayed: false };
  });
  if (answer.replayed) reply.header('idempotency-replayed', 'true');
  reply.code(answer.status);
  return answer.body as Body;
}

function keyOf(request: FastifyRequest): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const hash = createHash('sha256').update(request.method).update('\n').update(request.url).update('\n').update(JSON.stringify(request.body ?? null));
  return { owner: request.actor.id, key, sha256: hash.digest() };
}

/** Holds a transaction-level lock on the key first: whoever doesn't get it meets a request that is under way. */
export async function storedAnswer(tx: Tx, { owner, key, sha256 }: KeyedRequest, hours: number): Promise<StoredAnswer | undefined> {
  const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${owner} ${key}`}, 0)) as free`.execute(tx);
  if (!rows[0]?.free) throw problem('idempotency_in_flight', { key });
  await sql`delete from idempotency_key where owner = ${owner} and key = ${key} and created_at < clock_timestamp() - make_interval(hours => ${hours})`.execute(tx);
  const row = await tx.selectFrom('idempotency_key').selectAll().where('owner', '=', owner).where('key', '=', key).executeTakeFirst();
  if (!row) return undefined;
  if (!row.request_sha256.equals(sha256)) throw problem('idempotency_reused', { key });
  if (row.status === null) throw problem('idempotency_in_flight', { key });
  return { status: row.status, body: row.body };
}

export async function storeAnswer(tx: Tx, { owner, key, sha256 }: KeyedRequest, answer: StoredAnswer): Promise<void> {
  await tx.insertInto('idempotency_key').values({ owner, key, request_sha256: sha256, status: answer.status, body: JSON.stringify(answer.body) }).execute();
}

/** Forgets keys past their time, at most `rowsMax` a call. @returns how many */
export async function forgetOldKeys(db: Db, hours: number, rowsMax: number): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_key where (owner, key) in (
      select owner, key from idempotency_key where created_at < clock_timestamp() - make_interval(hours => ${hours}) limit ${rowsMax} for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}
