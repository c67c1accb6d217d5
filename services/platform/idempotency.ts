/**
 * Idempotency-Key: the answer is stored in the transaction of its effect, so a key has either both or neither. A
 * refusal rolls back and stores nothing: the same key may be used for the corrected request.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import Type from 'typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { inTransaction, type Db, type Tx } from './db.ts';
import { problem, Problem } from './errors.ts';

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$', description: 'Repeating a request with its key repeats its answer, not its effect' })),
});

/** For clusters whose every caller sends keys: from then on a route that takes one insists on it (`idempotency_key_required` 400). */
export function requireIdempotencyKeys(app: FastifyInstance): void {
  const insist: onRequestAsyncHookHandler = async (request) => {
    if (request.headers['idempotency-key'] === undefined) throw problem('idempotency_key_required');
  };
  app.addHook('onRoute', (route) => {
    const headers = route.schema?.headers as { properties?: Record<string, unknown> } | undefined;
    if (headers?.properties?.['idempotency-key'] === undefined) return;
    route.onRequest = [route.onRequest ?? [], insist].flat();
  });
}

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

/** What the key of a request stands for: its caller, and the request itself; undefined without one. */
export function keyOf(request: FastifyRequest): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  const hash = createHash('sha256').update(request.method).update('\n').update(request.url).update('\n').update(JSON.stringify(request.body ?? null));
  return { owner: request.actor.id, key, sha256: hash.digest() };
}

/** @throws `idempotency_in_flight` 409 · `idempotency_reused` 422 */
export async function storedAnswer(tx: Tx, keyed: KeyedRequest, hours: number): Promise<StoredAnswer | undefined> {
  const [found] = await storedAnswers(tx, [keyed], hours);
  if (found instanceof Problem) throw found;
  return found;
}

interface KeyRow { readonly n: number; readonly request_sha256: Buffer; readonly status: number | null; readonly body: unknown; readonly is_old: boolean }

/**
 * The answers of earlier requests with these keys. Holds a transaction-level lock on each key first: whoever doesn't get
 * it meets a request that is under way. Looked up in a statement of its own: the snapshot of the one that locks could
 * be older than the commit that gave the lock free.
 *
 * @returns for each: its stored answer; undefined: it is new · `idempotency_in_flight` 409 · `idempotency_reused` 422
 */
export async function storedAnswers(tx: Tx, requests: readonly (KeyedRequest | undefined)[], hours: number): Promise<(StoredAnswer | Problem | undefined)[]> {
  const answers: (StoredAnswer | Problem | undefined)[] = requests.map(() => undefined);
  const named = new Map<string, number>();
  for (const [n, request] of requests.entries()) {
    if (!request) continue;
    const name = `${request.owner} ${request.key}`;
    if (named.has(name)) answers[n] = problem('idempotency_in_flight', { key: request.key }); // twice in one transaction: its lock lets both in
    else named.set(name, n);
  }
  if (named.size === 0) return answers;
  const asked = JSON.stringify([...named.values()].map((n) => ({ n, owner: requests[n]?.owner, key: requests[n]?.key })));
  const locks = await sql<{ n: number; free: boolean }>`
    select n, pg_try_advisory_xact_lock(hashtextextended('idempotency ' || owner || ' ' || key, 0)) as free
    from json_to_recordset(${asked}) as x (n int, owner text, key text)`.execute(tx);
  for (const { n, free } of locks.rows) if (!free) answers[n] = problem('idempotency_in_flight', { key: requests[n]?.key });
  const { rows } = await sql<KeyRow>`
    select x.n, k.request_sha256, k.status, k.body, k.created_at < clock_timestamp() - make_interval(hours => ${hours}) as is_old
    from json_to_recordset(${asked}) as x (n int, owner text, key text) join idempotency_key k on k.owner = x.owner and k.key = x.key`.execute(tx);
  for (const row of rows) {
    const request = requests[row.n];
    if (!request || answers[row.n] !== undefined) continue;
    if (row.is_old) await tx.deleteFrom('idempotency_key').where('owner', '=', request.owner).where('key', '=', request.key).execute();
    else if (!row.request_sha256.equals(request.sha256)) answers[row.n] = problem('idempotency_reused', { key: request.key });
    else answers[row.n] = { status: row.status ?? 200, body: row.body };
  }
  return answers;
}

export async function storeAnswer(tx: Tx, keyed: KeyedRequest, answer: StoredAnswer): Promise<void> {
  await storeAnswers(tx, [{ keyed, answer }]);
}

export async function storeAnswers(tx: Tx, answered: readonly { readonly keyed: KeyedRequest; readonly answer: StoredAnswer }[]): Promise<void> {
  if (answered.length === 0) return;
  const rows = answered.map(({ keyed: { owner, key, sha256 }, answer }) => ({ owner, key, sha256: sha256.toString('hex'), ...answer }));
  await sql`
    insert into idempotency_key (owner, key, request_sha256, status, body)
    select owner, key, decode(sha256, 'hex'), status, body from json_to_recordset(${JSON.stringify(rows)}) as x (owner text, key text, sha256 text, status smallint, body jsonb)`.execute(tx);
}

/** Forgets keys past their time, at most `rowsMax` a call. @returns how many */
export async function forgetOldKeys(db: Db, hours: number, rowsMax: number): Promise<number> {
  const { rows } = await sql`
    delete from idempotency_key where (owner, key) in (
      select owner, key from idempotency_key where created_at < clock_timestamp() - make_interval(hours => ${hours}) limit ${rowsMax} for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}
