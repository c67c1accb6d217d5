/** What retention drops, and what it must keep. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { moveCursor } from '#services/events/cursor.ts';
import { readEvents } from '#services/events/read.ts';
import { relayReader } from '#services/events/relay.ts';
import { retainEvents } from '#services/events/retention.ts';
import { openEventSource } from '#services/events/source.ts';
import { append, jobEventOf } from '#test/setup/events.ts';
import { openWorld, type World } from '#test/setup/world.ts';

let world: World;
beforeEach(async () => { world = await openWorld(); });
afterEach(() => world.close());

const retain = () => retainEvents(world.db, world.config);
const partitions = async (): Promise<string[]> => (await sql<{ name: string }>`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'outbox'::regclass order by 1`.execute(world.db)).rows.map((row) => row.name);
const positions = async (): Promise<bigint[]> => (await sql<{ pos: bigint }>`select pos from outbox order by pos`.execute(world.db)).rows.map((row) => row.pos);

/** A day's partition of the past, with one numbered event. */
async function insertOldDay(day: string): Promise<void> {
  await sql`create table ${sql.table(`outbox_p${day.replaceAll('-', '')}`)} partition of outbox for values from (${sql.lit(`${day} 00:00+00`)}) to (${sql.lit(`${day} 24:00+00`)})`.execute(world.db);
  await sql`insert into outbox (key, version, kind, payload, created_at) values ('job/job_old', 1, 'job.changed', '{}', ${`${day} 12:00+00`})`.execute(world.db);
}

it('makes the next days ahead, once, and new rows still find their place', async () => {
  expect(await retain()).toMatchObject({ partitionsMade: 3 });
  expect(await retain()).toMatchObject({ partitionsMade: 0 });
  expect(await partitions()).toHaveLength(4);
  await sql`insert into outbox (key, version, kind, payload, created_at) values ('job/job_a', 1, 'job.changed', '{}', clock_timestamp() + interval '1 day')`.execute(world.db);
  expect((await sql`select from outbox_default`.execute(world.db)).rows).toHaveLength(0);
  expect((await openEventSource(world.db).after(0n, 10)).map((event) => event.pos)).toEqual([1n]);
});

it('drops a day that is over, once it is published, and says from where on events are kept', async () => {
  await insertOldDay('2020-01-01');
  await append(world.db, jobEventOf('job_new', 1n));
  await openEventSource(world.db).after(0n, 10);
  expect(await retain()).toMatchObject({ partitionsDropped: 0 });
  await moveCursor(world.db, relayReader, 1n);
  expect(await retain()).toMatchObject({ partitionsDropped: 1 });
  expect(await positions()).toEqual([2n]);
  await expect(readEvents(world.db, 0n, 10)).rejects.toMatchObject({ code: 'gone' });
  expect((await readEvents(world.db, 1n, 10)).map((event) => event.pos)).toEqual([2n]);
});

it('keeps a day with a row that nobody has numbered', async () => {
  await insertOldDay('2020-01-01');
  await moveCursor(world.db, relayReader, 100n);
  expect(await retain()).toMatchObject({ partitionsDropped: 0 });
  expect(await partitions()).toContain('outbox_p20200101');
});

it('while a reader holds the table it drops nothing, and does so the next time', async () => {
  await insertOldDay('2020-01-01');
  await openEventSource(world.db).after(0n, 10);
  await moveCursor(world.db, relayReader, 1n);
  await world.db.transaction().execute(async (tx) => {
    await sql`select from outbox limit 1`.execute(tx);
    expect(await retain()).toMatchObject({ partitionsDropped: 0 });
  });
  expect(await retain()).toMatchObject({ partitionsDropped: 1 });
});

it('deletes old rows of the first day, of inboxes and of keys, and nothing that is younger', async () => {
  const { db } = world;
  await sql`insert into outbox (key, version, kind, payload, created_at) values ('job/job_old', 1, 'job.changed', '{}', clock_timestamp() - interval '100 hours')`.execute(db);
  await append(db, jobEventOf('job_new', 1n));
  await openEventSource(db).after(0n, 10);
  await moveCursor(db, relayReader, 2n);
  for (const age of ['200 hours', '1 hour']) {
    await sql`insert into inbox (consumer, pos, received_at) values ('c', ${age.length}, clock_timestamp() - ${age}::interval)`.execute(db);
    await sql`insert into inbox_version (consumer, key, version, seen_at) values ('c', ${age}, 1, clock_timestamp() - ${age}::interval)`.execute(db);
    await sql`insert into idempotency_key (owner, key, request_sha256, created_at) values ('o', ${age}, '', clock_timestamp() - ${age}::interval)`.execute(db);
  }
  expect(await retain()).toMatchObject({ rowsDeleted: 4 });
  expect(await positions()).toEqual([2n]);
  for (const table of ['inbox', 'inbox_version', 'idempotency_key']) expect((await sql`select from ${sql.table(table)}`.execute(db)).rows).toHaveLength(1);
});
