/**
 * One leader a name (design.md §3.4). Two rows: the lease says who may lead and until when; the token fences what a
 * leader does. Plans take the token row FOR SHARE and compare it, take-over adds one to it, so take-over waits for the
 * plans in flight and everything older is refused. Renewals touch the lease row only: they never wait for plans.
 *
 * All times that decide are the database's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import type { Log } from './log.ts';
import { leaderHeld } from './metrics.ts';

export interface Leadership {
  readonly name: string;
  readonly holder: string;
  readonly token: bigint;
  /** aborted when the lease is lost or the process is asked to end: drop everything derived, return soon */
  readonly over: AbortSignal;
}

export interface LeaderOptions {
  readonly name: 'scheduler' | 'relay' | 'reconciler';
  /** unique a process, e.g. host, pid and a random part: a restarted process is another holder */
  readonly holder: string;
  readonly leaseMs: number;
  readonly log: Log;
  /** ends the candidacy, and the leadership with it */
  readonly signal: AbortSignal;
}

/** A third: two renewals may fail before the lease is over. */
const renewalsPerLease = 3;
/** A standby asks that often, so it leads at most a tenth of a lease after the row is free. */
const asksPerLease = 10;

/**
 * Stands by until it may lead, leads, and stands by again after a loss, until `signal` is aborted. A database that is
 * away is an ordinary event: it is asked again.
 *
 * @param lead  returns soon after `over` is aborted; what it throws is logged and ends this leadership, not the candidacy
 */
export async function leadWhenever(db: Db, options: LeaderOptions, lead: (leadership: Leadership) => Promise<void>): Promise<void> {
  const { name, log, signal } = options;
  leaderHeld.set({ name }, 0);
  while (!signal.aborted) {
    const token = await acquire(db, options).catch((error: unknown) => {
      log.warn({ leader: name, error: messageOf(error) }, 'asking for the lease failed');
      return undefined;
    });
    if (token === undefined) {
      await pause(options.leaseMs / asksPerLease, signal);
      continue;
    }
    log.info({ leader: name, fence: String(token) }, 'leading');
    leaderHeld.set({ name }, 1);
    await leadOnce(db, options, token, lead);
    leaderHeld.set({ name }, 0);
    log.info({ leader: name, fence: String(token) }, 'no longer leading');
    // After an error it must not win the lease again at once and fail in a tight loop.
    await pause(options.leaseMs / asksPerLease, signal);
  }
}

async function leadOnce(db: Db, options: LeaderOptions, token: bigint, lead: (leadership: Leadership) => Promise<void>): Promise<void> {
  const lost = new AbortController();
  const done = new AbortController();
  const over = AbortSignal.any([lost.signal, options.signal]);
  const renewing = keepRenewing(db, options, AbortSignal.any([done.signal, over]), () => lost.abort());
  try {
    await lead({ name: options.name, holder: options.holder, token, over });
  } catch (error) {
    options.log.error({ leader: options.name, error: messageOf(error) }, 'leadership ended by an error');
  } finally {
    done.abort();
    await renewing;
    await release(db, options).catch((error: unknown) => {
      options.log.warn({ leader: options.name, error: messageOf(error) }, 'the lease was not given up; it runs out by itself');
    });
  }
}

async function keepRenewing(db: Db, options: LeaderOptions, end: AbortSignal, onLost: () => void): Promise<void> {
  let renewedAtMs = performance.now();
  for (;;) {
    await pause(options.leaseMs / renewalsPerLease, end);
    if (end.aborted) return;
    const askedAtMs = performance.now();
    const remainingMs = Math.max(0, renewedAtMs + options.leaseMs - askedAtMs);
    const renewed = await Promise.race([renew(db, options).catch(() => undefined), pause(remainingMs, end)]);
    if (renewed) renewedAtMs = askedAtMs;
    // No answer is no loss yet: the lease that was granted still runs, counted from the moment it was asked for.
    if (renewed === false || performance.now() - renewedAtMs >= options.leaseMs) return onLost();
  }
}

/** @returns the new token, or undefined while another holds the lease */
export async function acquire(db: Db, { name, holder, leaseMs }: LeaderOptions): Promise<bigint | undefined> {
  const lease = await sql`
    update leader_lease set holder = ${holder}, expires_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where name = ${name} and (holder is null or holder = ${holder} or expires_at <= clock_timestamp())
    returning 1`.execute(db);
  if (lease.rows.length === 0) return undefined;
  // Waits for plans in flight, which hold this row FOR SHARE. Where that took longer than the lease, someone else may have it.
  const token = await sql<{ token: bigint }>`
    update leader set token = token + 1, holder = ${holder}
    where name = ${name} and exists (
      select from leader_lease l where l.name = ${name} and l.holder = ${holder} and l.expires_at > clock_timestamp())
    returning token`.execute(db);
  return token.rows[0]?.token;
}

/** @returns false: the lease is another's, or has run out */
export async function renew(db: Db, { name, holder, leaseMs }: LeaderOptions): Promise<boolean> {
  const { rows } = await sql`
    update leader_lease set expires_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    where name = ${name} and holder = ${holder} and expires_at > clock_timestamp()
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Gives the lease up, so that a standby leads at its next question. */
export async function release(db: Db, { name, holder }: LeaderOptions): Promise<void> {
  await sql`update leader_lease set holder = null, expires_at = '-infinity' where name = ${name} and holder = ${holder}`.execute(db);
}

/** In a plan's transaction, before any other lock: whether its leader still leads. Holds take-over back until the commit. */
export async function stillLeads(tx: Tx, leadership: Pick<Leadership, 'name' | 'holder' | 'token'>): Promise<boolean> {
  const { rows } = await sql<{ token: bigint; holder: string | null }>`
    select token, holder from leader where name = ${leadership.name} for share`.execute(tx);
  return rows[0]?.token === leadership.token && rows[0].holder === leadership.holder;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
