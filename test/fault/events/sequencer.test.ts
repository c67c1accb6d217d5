/** A sequencer that dies at the worst moment loses and repeats nothing. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendEvent } from '#services/events/append.ts';
import { sequenceOnce } from '#services/events/sequence.ts';
import { openEventSource } from '#services/events/source.ts';
import { append, jobEventOf, until } from '#test/setup/events.ts';
import { openWorld, type World } from '#test/setup/world.ts';

let world: World;
beforeEach(async () => { world = await openWorld(); });
afterEach(() => world.close());

it('killed between lock and commit it leaves neither a lock nor a number', async () => {
  const { db } = world;
  await append(db, jobEventOf('job_a', 1n), jobEventOf('job_b', 1n));
  const other = new pg.Client({ connectionString: world.config.databaseUrl });
  await other.connect();
  await other.query('begin');
  await other.query('select id from outbox order by id limit 1 for update'); // makes the sequencer wait after its lock
  const first = sequenceOnce(db).then(() => 'numbered', () => 'killed');
  const pid = await until(async () => {
    const { rows } = await sql<{ pid: number }>`select l.pid from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and a.datname = current_database() and a.wait_event_type = 'Lock'`.execute(db);
    return rows[0]?.pid;
  });
  expect(await sequenceOnce(db)).toEqual({ kind: 'busy' });
  await sql`select pg_terminate_backend(${pid})`.execute(db);
  expect(await first).toBe('killed');
  await other.query('rollback');
  await other.end();

  const events = await openEventSource(db).after(0n, 10);
  expect(events.map(({ pos, key }) => [pos, key])).toEqual([[1n, 'job/job_a'], [2n, 'job/job_b']]);
});

it('SV15 a row that commits after a later one was read is read next, never skipped', async () => {
  const { db } = world;
  const source = openEventSource(db);
  const isWritten = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const early = db.transaction().execute(async (tx) => {
    await appendEvent(tx, jobEventOf('job_early', 1n));
    isWritten.resolve();
    await mayCommit.promise;
  });
  await isWritten.promise;
  await append(db, jobEventOf('job_late', 1n));
  const before = await source.after(0n, 10);
  mayCommit.resolve();
  await early;
  const after = await source.after(before.at(-1)!.pos, 10);
  expect([before.map((event) => event.key), after.map((event) => event.key)]).toEqual([['job/job_late'], ['job/job_early']]);
});
