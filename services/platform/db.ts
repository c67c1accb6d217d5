/**
 * Postgres: one pool a process, one way to run a transaction, effects that wait for the commit.
 *
 * bigint columns are `bigint` in code: never a parsed number (stack.md 2.5).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Config } from './config.ts';
import type { DB } from './database.ts';
import type { Log } from './log.ts';

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;

pg.types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text));

type PoolConfig = Pick<Config, 'databaseUrl' | 'databasePoolMax' | 'statementTimeoutMs' | 'lockTimeoutMs'>;

/** @param name shown in pg_stat_activity */
export function openDb(config: PoolConfig, log: Log, name: string): Db {
  const pool = new pg.Pool({
    connectionString: config.databaseUrl,
    max: config.databasePoolMax,
    application_name: `muster-${name}`,
    connectionTimeoutMillis: config.lockTimeoutMs,
    statement_timeout: config.statementTimeoutMs,
    lock_timeout: config.lockTimeoutMs,
    idle_in_transaction_session_timeout: config.statementTimeoutMs,
    keepAlive: true,
  });
  // Without listeners a dropped connection would end the process (node-postgres#2112, prisma/orm#30081).
  pool.on('error', (error) => log.warn({ error: error.message }, 'idle database connection dropped'));
  pool.on('connect', (client) => client.on('error', (error) => log.warn({ error: error.message }, 'database connection dropped')));
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  return db;
}

const pools = new WeakMap<Db, pg.Pool>();

export interface PoolUse { readonly total: number; readonly idle: number; readonly waiting: number }

/** Connections of a pool that `openDb` made, and requests that wait for one. */
export function poolUse(db: Db): PoolUse {
  const pool = pools.get(db);
  return { total: pool?.totalCount ?? 0, idle: pool?.idleCount ?? 0, waiting: pool?.waitingCount ?? 0 };
}

type AfterCommit = () => void;
const pending = new WeakMap<Tx, Map<string, AfterCommit>>();

/**
 * Runs `effect` once, after the transaction has committed; effects of one key coalesce. For wake-ups only: a crash
 * between commit and effect loses it, and the reader's poll or sweep makes up for it.
 */
export function afterCommit(tx: Tx, key: string, effect: AfterCommit): void {
  pending.get(tx)?.set(key, effect);
}

const retryable: ReadonlySet<string> = new Set(['40001', '40P01']);
const triesMax = 5;

/** Runs `work` in one transaction; on a serialization failure or deadlock the whole of it again, at most five times (SV38). */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const effects = new Map<string, AfterCommit>();
    try {
      const result = await db.transaction().execute((tx) => {
        pending.set(tx, effects);
        return work(tx);
      });
      for (const effect of effects.values()) effect();
      return result;
    } catch (error) {
      if (tries >= triesMax || !retryable.has(sqlState(error) ?? '')) throw error;
      await delay(Math.random() * 20 * 2 ** tries);
    }
  }
}

/** SQLSTATE of a database error, or undefined. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
