/**
 * The relay meets a burst: rows without a position are numbered, read, published, acknowledged by JetStream, and marked
 * by the cursor. The naive way beside it, on the same rows: one publish and one mark at a time.
 */
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { moveCursor } from '#services/events/cursor.ts';
import { subjectOf, toMessage } from '#services/events/message.ts';
import { openEventSource } from '#services/events/source.ts';
import { connectControl } from '#services/platform/nats/bus.ts';
import { publishEvent } from '#services/platform/nats/events-stream.ts';
import { ensureStreams } from '#services/platform/nats/streams.ts';
import { machine, round } from './load.ts';
import type { Figure } from './main.ts';
import { BenchStack } from './stack.ts';

const rows = 100_000;
const naiveRows = 2_000;
const rounds = 3;
const lookEveryMs = 20;
const reader = 'relay';
const naiveReader = 'naive';

export async function* events(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open();
  try {
    const naive = await naiveRowsPerS(stack);
    const rates: number[] = [];
    const relay = await stack.start('relay');
    while (await lastMarked(stack) < BigInt(naiveRows)) await delay(lookEveryMs); // the same rows, published by it too
    const parts = ['postgres', 'nats', relay] as const;
    const before = parts.map((part) => stack.cpuSeconds(part));
    for (let turn = 0; turn < rounds; turn++) rates.push(await relayRowsPerS(stack));
    const [postgres = 0, nats = 0, own = 0] = parts.map((part, index) => round((stack.cpuSeconds(part) - (before[index] ?? 0)) * 1e6 / (rows * rounds), 0));
    const best = Math.max(...rates);
    const params = { rows, rounds, batch: stack.config.relayBatchRowsMax, least: round(Math.min(...rates), 0), relay_us_a_row: own, postgres_us_a_row: postgres, nats_us_a_row: nats, ...machine() };
    yield { bench: 'events', figure: 'relay_rows_per_s', value: round([...rates].sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN, 0), unit: '1/s', params: { ...params, best: round(best, 0) } };
    yield { bench: 'events', figure: 'relay_rows_per_s_naive', value: round(naive, 0), unit: '1/s', params: { rows: naiveRows, ...machine() } };
    yield { bench: 'events', figure: 'relay_ratio_to_naive', value: round(best / naive), unit: 'ratio', params };
  } finally {
    await stack.close();
  }
}

/** As operations write them, but many in one statement. */
async function fill(stack: BenchStack, count: number): Promise<void> {
  await sql`insert into outbox (key, version, kind, payload)
    select 'node/bench-' || (i % 1000), i, 'node.changed', jsonb_build_object('node', 'bench-' || (i % 1000), 'state', 'LIVE') from generate_series(1, ${count}::int) i`.execute(stack.db);
}

/** A relay at rest meets a burst: from its commit until the last row is numbered, acknowledged and marked. */
async function relayRowsPerS(stack: BenchStack): Promise<number> {
  const last = await lastMarked(stack) + BigInt(rows);
  await fill(stack, rows);
  const startedAt = performance.now();
  while (await lastMarked(stack) < last) await delay(lookEveryMs);
  return rows * 1_000 / (performance.now() - startedAt);
}

async function lastMarked(stack: BenchStack): Promise<bigint> {
  return (await stack.db.selectFrom('event_cursor').select('pos').where('reader', '=', reader).executeTakeFirst())?.pos ?? 0n;
}

async function naiveRowsPerS(stack: BenchStack): Promise<number> {
  await fill(stack, naiveRows);
  const bus = await connectControl(stack.config, stack.log, 'bench');
  try {
    await ensureStreams(bus, stack.config);
    const source = openEventSource(stack.db);
    const { incarnation } = await stack.db.selectFrom('cluster').select('incarnation').executeTakeFirstOrThrow();
    const startedAt = performance.now();
    let [pos, done] = [0n, 0];
    while (done < naiveRows) {
      for (const event of await source.after(pos, stack.config.relayBatchRowsMax)) {
        await publishEvent(bus, subjectOf(stack.config.scope, event), `naive-${event.pos}`, toMessage(event, incarnation));
        await moveCursor(stack.db, naiveReader, event.pos);
        [pos, done] = [event.pos, done + 1];
      }
    }
    return naiveRows * 1_000 / (performance.now() - startedAt);
  } finally {
    await bus.close();
  }
}
