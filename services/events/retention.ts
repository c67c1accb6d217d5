/**
 * Retention of what the outbox and its readers leave behind. Published rows go by dropping daily partitions, not by
 * DELETE: an outbox bloats, and a long transaction elsewhere would pin every dead row (stack.md 3.3).
 */
import { sql } from 'kysely';
import type { Config } from '../platform/config.ts';
import { inTransaction, sqlState, type Db } from '../platform/db.ts';
import { relayReader } from './relay.ts';

/** Partitions made ahead: retention may fail for two days before rows go to the default partition. */
const daysAhead = 3;
/** Rows of one DELETE: a transaction of some ten milliseconds. */
const deleteRowsMax = 1_000;
/** Batches of one turn; the rest goes in the next. */
const deleteBatchesMax = 100;
/** Redelivery ends when the stream's copy expires; an inbox row is kept a little longer than that. */
const inboxMarginHours = 1;
/** Attaching and dropping lock the table: rather later than in front of a queue of commits. */
const ddlLockTimeoutMs = 1_000;

type RetentionConfig = Pick<Config, 'outboxRetentionHours' | 'idempotencyHours'>;

export interface RetentionResult {
  readonly partitionsMade: number;
  readonly partitionsDropped: number;
  readonly rowsDeleted: number;
}

/** One turn. Any process may do it; run by the leading relay. */
export async function retainEvents(db: Db, config: RetentionConfig): Promise<RetentionResult> {
  const partitionsMade = await makePartitions(db);
  const partitionsDropped = await dropPartitions(db, config.outboxRetentionHours);
  const inboxHours = config.outboxRetentionHours + inboxMarginHours;
  const rowsDeleted = await deleteOldDefaultRows(db, config.outboxRetentionHours)
    + await deleteOlder(db, 'inbox', 'received_at', inboxHours)
    + await deleteOlder(db, 'inbox_version', 'seen_at', inboxHours)
    + await deleteOlder(db, 'idempotency_key', 'created_at', config.idempotencyHours)
    + await deleteOlder(db, 'dead_letter', 'redriven_at', config.outboxRetentionHours, sql`and state = 'HANDLED'`);
  return { partitionsMade, partitionsDropped, rowsDeleted };
}

interface Partition { readonly name: string; readonly fromDay: string; readonly toDay: string }

/** Tomorrow's and the next: a day whose rows already stand in the default partition can't get its own. */
async function makePartitions(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string; from_day: string; to_day: string }>`
    select 'outbox_p' || to_char(day, 'YYYYMMDD') as name, to_char(day, 'YYYY-MM-DD') as from_day, to_char(day + interval '1 day', 'YYYY-MM-DD') as to_day
    from generate_series(1, ${daysAhead}) n, lateral (select date_trunc('day', clock_timestamp() at time zone 'UTC') + n * interval '1 day' as day) d
    where to_regclass('outbox_p' || to_char(day, 'YYYYMMDD')) is null`.execute(db);
  let made = 0;
  for (const row of rows) made += await makePartition(db, { name: row.name, fromDay: row.from_day, toDay: row.to_day });
  return made;
}

/** Made aside and attached: CREATE … PARTITION OF would lock every reader and writer out, ATTACH lets them through. */
async function makePartition(db: Db, { name, fromDay, toDay }: Partition): Promise<number> {
  return whereFree(() => inTransaction(db, async (tx) => {
    await limitLockWait().execute(tx);
    await sql`create table ${sql.table(name)} (like outbox including defaults)`.execute(tx);
    await sql`alter table outbox attach partition ${sql.table(name)}
      for values from (${sql.lit(`${fromDay} 00:00:00+00`)}) to (${sql.lit(`${toDay} 00:00:00+00`)})`.execute(tx);
  }));
}

async function dropPartitions(db: Db, retentionHours: number): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname ~ '^outbox_p[0-9]{8}$'
      and to_date(substr(c.relname, 9), 'YYYYMMDD') + 1 <= (clock_timestamp() - make_interval(hours => ${retentionHours})) at time zone 'UTC'
    order by c.relname`.execute(db);
  let dropped = 0;
  for (const { name } of rows) {
    const last = await lastPublishedPos(db, name);
    if (last === undefined) break; // the relay is behind: this one and all later ones stay
    await keepFrom(db, last + 1n);
    dropped += await whereFree(() => inTransaction(db, async (tx) => {
      await limitLockWait().execute(tx);
      await sql`drop table ${sql.table(name)}`.execute(tx);
    }));
  }
  return dropped;
}

/** @returns the highest position in the partition, 0 where it is empty; undefined, where some row is not published yet */
async function lastPublishedPos(db: Db, partition: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ last: bigint | null; unnumbered: boolean; published: bigint }>`
    select (select max(pos) from ${sql.table(partition)}) as last,
      exists (select from ${sql.table(partition)} where pos is null) as unnumbered,
      coalesce((select pos from event_cursor where reader = ${relayReader}), 0) as published`.execute(db);
  const { last, unnumbered, published } = rows[0] ?? { last: null, unnumbered: true, published: 0n };
  return unnumbered || (last ?? 0n) > published ? undefined : last ?? 0n;
}

/** Committed before anything is dropped: a reader that misses rows also sees that they are no longer kept. */
async function keepFrom(db: Db, pos: bigint): Promise<void> {
  await sql`update event_sequence set kept_from_pos = ${pos} where kept_from_pos < ${pos}`.execute(db);
}

/** The first day's rows, and those of days without a partition. */
async function deleteOldDefaultRows(db: Db, retentionHours: number): Promise<number> {
  const { rows } = await sql<{ last: bigint | null }>`
    select max(o.pos) as last from outbox_default o, event_cursor r
    where r.reader = ${relayReader} and o.pos <= r.pos and o.created_at < clock_timestamp() - make_interval(hours => ${retentionHours})`.execute(db);
  const last = rows[0]?.last;
  if (last === undefined || last === null) return 0;
  await keepFrom(db, last + 1n);
  return inBatches(async () => sql`
    delete from outbox_default where ctid = any(array(
      select ctid from outbox_default
      where pos <= ${last} and created_at < clock_timestamp() - make_interval(hours => ${retentionHours}) limit ${deleteRowsMax}))`.execute(db));
}

async function deleteOlder(db: Db, table: 'inbox' | 'inbox_version' | 'idempotency_key' | 'dead_letter', column: string, hours: number, also = sql``): Promise<number> {
  return inBatches(async () => sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${sql.ref(column)} < clock_timestamp() - make_interval(hours => ${hours}) ${also} limit ${deleteRowsMax}))`.execute(db));
}

async function inBatches(deleteSome: () => Promise<{ readonly numAffectedRows?: bigint }>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < deleteBatchesMax; batch++) {
    const deleted = Number((await deleteSome()).numAffectedRows ?? 0n);
    total += deleted;
    if (deleted < deleteRowsMax) break;
  }
  return total;
}

const limitLockWait = () => sql`set local lock_timeout = ${sql.lit(ddlLockTimeoutMs)}`;

/** lock_not_available: busy; the next turn tries again. duplicate_table: another process was faster. */
const passing: ReadonlySet<string> = new Set(['55P03', '42P07']);

async function whereFree(work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 1;
  } catch (error) {
    if (passing.has(sqlState(error) ?? '')) return 0;
    throw error;
  }
}
