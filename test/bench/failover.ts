/**
 * kill -9 of the leading scheduler while a hundred thousand jobs wait, until the other one's first placement is
 * committed; and kill -9 of a worker that supervises running jobs, until the last of them, which end meanwhile, is over.
 */
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { priorityOf } from '#services/jobs/model.ts';
import { withDefaults } from '#services/jobs/spec.ts';
import type { Part } from '../e2e/part.ts';
import { submitMany, untilSucceeded } from './jobs.ts';
import { machine, quantile, round } from './load.ts';
import type { Figure } from './main.ts';
import { BenchStack } from './stack.ts';

const pending = 100_000;
const shapes = 500;
const nodes = 1_000;
const devices = 8;
const kills = 3;
/** placements seen before a kill: the leader is in full work */
const placedBeforeKill = 200;
const lookEveryMs = 50;
/** well below the statement time-out, also on a busy machine */
const insertedAtOnce = 5_000;
const timeoutMs = 120_000;

export async function* failover(): AsyncGenerator<Figure> {
  yield* leaderTakeOver();
  yield* workerTakeOver();
}

async function* leaderTakeOver(): AsyncGenerator<Figure> {
  // Nothing supervises here: the scheduler alone is measured.
  const stack = await BenchStack.open({ MUSTER_MAX_UNSUPERVISED_ATTEMPTS: '1000000' });
  try {
    await addNodes(stack);
    await addPending(stack);
    const schedulers = new Map<number, Part>();
    for (const name of ['scheduler-1', 'scheduler-2']) {
      const part = await stack.start('scheduler', name);
      schedulers.set(part.pid, part);
    }
    const seconds: number[] = [];
    let waiting = 0;
    for (let kill = 0; kill < kills; kill++) {
      const target = await placements(stack) + placedBeforeKill;
      await until(`${target} placements`, async () => await placements(stack) >= target);
      const leader = schedulers.get(await leaderPid(stack));
      if (!leader) throw new Error('the leader is none of the two schedulers');
      schedulers.delete(leader.pid);
      await leader.kill('SIGKILL');
      const killedAt = await databaseNow(stack); // after its death, so no placement of its own counts
      waiting = await queued(stack);
      const placed = await placements(stack);
      await until('the next placement', async () => await placements(stack) > placed);
      seconds.push(((await databaseNow(stack)).getTime() - killedAt.getTime()) / 1_000);
      await leader.start();
      schedulers.set(leader.pid, leader);
    }
    yield { bench: 'failover', figure: 'leader_takeover_s', value: Math.max(...seconds), unit: 's', params: { kills, median: quantile(seconds, 0.5), pending_at_last_kill: waiting, shapes, nodes, devices, lease_ms: stack.config.leaderLeaseMs, ...machine() } };
  } finally {
    await stack.close();
  }
}

async function addNodes({ db }: BenchStack): Promise<void> {
  await sql`insert into node (id, boot_id, cpu_milli, memory_bytes, checkpoint_reach) select 'bench-' || i, 'boot', 64000, 68719476736, 'shared' from generate_series(1, ${nodes}::int) i`.execute(db);
  await sql`insert into device (node_id, idx, model, uuid) select 'bench-' || i, d, 'virtual-h100', 'bench-' || i || '-' || d from generate_series(1, ${nodes}::int) i, generate_series(0, ${devices - 1}::int) d`.execute(db);
}

/** Shapes differ by what they ask of the processor. */
async function addPending({ db }: BenchStack): Promise<void> {
  const spec = withDefaults({ name: 'bench', argv: ['bench'], devicesPerMember: 1 });
  for (let first = 1; first <= pending; first += insertedAtOnce) await sql`insert into job (id, team_id, name, spec, state, members, priority, preemptible, exclusive)
    select 'job_' || lpad(i::text, 26, '0'), 'team_00000000000000000000000000', 'bench', jsonb_set(${JSON.stringify(spec)}::jsonb, '{cpuMilli}', to_jsonb(1 + i % ${shapes}::int)),
      'QUEUED', 1, ${priorityOf[spec.priorityClass]}, false, false from generate_series(${first}::int, ${first + insertedAtOnce - 1}::int) i`.execute(db);
}

async function placements({ db }: BenchStack): Promise<number> {
  return Number((await db.selectFrom('attempt').select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
}

async function queued({ db }: BenchStack): Promise<number> {
  return Number((await db.selectFrom('job').select(({ fn }) => fn.countAll().as('count')).where('state', '=', 'QUEUED').executeTakeFirstOrThrow()).count);
}

async function leaderPid({ db }: BenchStack): Promise<number> {
  const { holder } = await db.selectFrom('leader_lease').select('holder').where('name', '=', 'scheduler').executeTakeFirstOrThrow();
  return Number(holder?.split('/')[1]);
}

async function databaseNow({ db }: BenchStack): Promise<Date> {
  return (await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)).rows[0]?.now ?? new Date(Number.NaN);
}

async function until<T>(what: string, look: () => Promise<T | false | undefined>): Promise<T> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; await delay(lookEveryMs)) {
    const found = await look();
    if (found !== false && found !== undefined) return found;
  }
  throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
}

const supervised = 40;

async function* workerTakeOver(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open();
  try {
    for (const role of ['api', 'ingest', 'relay', 'reconciler', 'scheduler']) await stack.start(role);
    const worker = await stack.start('worker');
    const fleet = await stack.simulate({ nodes: { count: 8, devices: 8 }, programs: { bench: { startMs: [1, 1] } } });
    await submitMany(stack, supervised, { members: 1, devicesPerMember: 1 });
    await until('all jobs to run', async () => {
      const running = await stack.db.selectFrom('job').select('id').where('state', '=', 'RUNNING').where('unsupervised_attempts', '=', 0).execute();
      return running.length === supervised;
    });
    await stack.start('worker', 'worker-2'); // all runs are in the first one's cache and sticky queue
    await worker.kill('SIGKILL');
    const killedAt = performance.now();
    for (const node of fleet.nodes) node.members.finishAll();
    await untilSucceeded(stack, supervised);
    const seconds = round((performance.now() - killedAt) / 1_000);
    yield { bench: 'failover', figure: 'worker_takeover_s', value: seconds, unit: 's', params: { jobs: supervised, workers_left: 1, ...machine() } };
    await fleet.close();
  } finally {
    await stack.close();
  }
}
