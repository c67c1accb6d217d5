/** Whatever writers, rollbacks, delays and sequencers do: each committed event gets one place, and readers miss none. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendEvent } from '#services/events/append.ts';
import type { SequencedEvent } from '#services/events/model.ts';
import { readEvents } from '#services/events/read.ts';
import { sequenceOnce } from '#services/events/sequence.ts';
import { openEventSource } from '#services/events/source.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { openWorld, type World } from '#test/setup/world.ts';

let world: World;
beforeAll(async () => { world = await openWorld({ MUSTER_DATABASE_POOL_MAX: '14' }); });
afterAll(() => world.close());

const transaction = fc.record({
  objects: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }),
  waitMs: fc.integer({ min: 0, max: 6 }),
  fails: fc.boolean(),
});
const writers = fc.array(fc.array(transaction, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 6 });

it('SV15 none is missed, none comes twice, each object keeps its order', async () => {
  await fc.assert(fc.asyncProperty(writers, fc.integer({ min: 1, max: 7 }), async (plans, batchRows) => {
    await empty(world.db);
    const done = new AbortController();
    const committed: string[] = [];
    const reader = readUntil(world.db, done.signal);
    const sequencers = [0, 1].map(() => sequenceUntil(world.db, batchRows, done.signal));
    await Promise.all(plans.map((plan) => write(world.db, plan, committed)));
    done.abort();
    await Promise.all(sequencers);
    const seen = await reader;

    expect(seen.map((event) => event.pos)).toEqual(committed.map((_, index) => BigInt(index + 1)));
    expect(seen.map(nameOf).sort()).toEqual([...committed].sort());
    for (const events of Map.groupBy(seen, (event) => event.key).values()) {
      expect(events.map((event) => event.version)).toEqual(events.map((_, index) => BigInt(index + 1)));
    }
  }), { numRuns: 25, endOnFailure: true });
}, 120_000);

const nameOf = (event: Pick<SequencedEvent, 'key' | 'version'>): string => `${event.key}#${event.version}`;

async function empty(db: Db): Promise<void> {
  await sql`truncate outbox`.execute(db);
  await sql`delete from event_cursor`.execute(db);
  await sql`update event_sequence set last_pos = 0, kept_from_pos = 1`.execute(db);
  await sql`insert into event_cursor (reader, pos) select 'object/' || n, 0 from generate_series(0, 3) n`.execute(db);
}

/** As an operation does: lock the object by its update, take its next version, append the event, commit later or never. */
async function write(db: Db, plan: readonly { objects: number[]; waitMs: number; fails: boolean }[], committed: string[]): Promise<void> {
  for (const { objects, waitMs, fails } of plan) {
    const written: string[] = [];
    await inTransaction(db, async (tx) => {
      for (const object of [...objects].sort()) {
        const key = `object/${object}`;
        const { pos } = await tx.updateTable('event_cursor').set(({ eb }) => ({ pos: eb('pos', '+', 1n) })).where('reader', '=', key).returning('pos').executeTakeFirstOrThrow();
        await appendEvent(tx, { key, version: pos, kind: 'job.changed', payload: {} });
        written.push(`${key}#${pos}`);
      }
      await delay(waitMs);
      if (fails) throw new RolledBack();
    }).then(() => committed.push(...written), (error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  }
}

class RolledBack extends Error {}

async function sequenceUntil(db: Db, batchRows: number, done: AbortSignal): Promise<void> {
  while (!done.aborted) await sequenceOnce(db, batchRows);
}

/** Follows from the start, and once more to the end when all is written. */
async function readUntil(db: Db, done: AbortSignal): Promise<SequencedEvent[]> {
  const seen: SequencedEvent[] = [];
  const position = (): bigint => seen.at(-1)?.pos ?? 0n;
  while (!done.aborted) seen.push(...await readEvents(db, position(), 3));
  const source = openEventSource(db);
  for (let more = true; more;) {
    const events = await source.after(position(), 100);
    seen.push(...events);
    more = events.length > 0;
  }
  return seen;
}
