/** The API under load: submissions one by one and in batches, durable and with keys, and what a reader feels meanwhile. */
import { fork } from 'node:child_process';
import path from 'node:path';
import { sql } from 'kysely';
import { repositoryRoot } from '#services/platform/config.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { batchJobsMax } from '#services/jobs/batch.ts';
import type { Part } from '../e2e/part.ts';
import type { LoadOrder, LoadResult } from './http-load.ts';
import { machine, quantile, round } from './load.ts';
import type { Figure } from './main.ts';
import { submitToRunning } from './skeleton.ts';
import { BenchStack } from './stack.ts';

const submitters = 64;
const batchers = 4;
const readers = 4;
const readerPauseMs = 20;
const warmupSeconds = 3;
const seconds = 10;
const job = { name: 'bench', argv: ['/bin/true'], devicesPerMember: 1, labels: { suite: 'bench' } };

export async function* api(): AsyncGenerator<Figure> {
  yield* throughput();
  yield* submitToRunning('api');
}

async function* throughput(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open({ MUSTER_QUEUED_JOBS_MAX_PER_TEAM: '10000000', MUSTER_REQUESTS_PER_SECOND_MAX: '1000000' });
  try {
    const api = await stack.start('api');
    const target = { port: stack.config.apiPort, key: await createApiKey(stack.db, { name: 'load', scopes: ['*'] }) };
    const single: Omit<LoadOrder, 'seconds'> = { ...target, connections: submitters, method: 'POST', paths: ['/v1/jobs'], body: JSON.stringify(job) };
    const batch: Omit<LoadOrder, 'seconds'> = { ...target, connections: batchers, method: 'POST', paths: ['/v1/jobs:batch'], body: JSON.stringify({ jobs: Array.from({ length: batchJobsMax }, () => job) }) };
    await run({ ...single, seconds: warmupSeconds });
    const known = (await sql<{ id: string }>`select id from job limit ${readers}`.execute(stack.db)).rows.map(({ id }) => `/v1/jobs/${id}`);

    const before = await jobs(stack);
    const cpu = cpuOf(stack, api);
    const [submitted, read] = await Promise.all([
      run({ ...single, seconds }), run({ ...target, connections: readers, method: 'GET', paths: known, pauseMs: readerPauseMs, seconds }),
    ]);
    const rows = await jobs(stack) - before;
    const params = { connections: submitters, seconds, rows, refused: submitted.requests - rows, ...cpu(rows), ...machine() };
    yield { bench: 'api', figure: 'single_submits_per_s', value: round(rows / submitted.seconds, 0), unit: '1/s', params };
    yield { bench: 'api', figure: 'single_submit_p50_ms', value: quantile(submitted.latenciesMs, 0.5), unit: 'ms', params };
    yield { bench: 'api', figure: 'single_submit_p99_ms', value: quantile(submitted.latenciesMs, 0.99), unit: 'ms', params };
    yield { bench: 'api', figure: 'get_p99_ms_under_submit_load', value: quantile(read.latenciesMs, 0.99), unit: 'ms', params: { readers, reads: read.requests, ...machine() } };

    const waiting = await jobs(stack);
    const batchCpu = cpuOf(stack, api);
    const batches = await run({ ...batch, seconds });
    const batched = await jobs(stack) - waiting;
    yield {
      bench: 'api', figure: 'batch_submit_jobs_per_s', value: round(batched / batches.seconds, 0), unit: '1/s',
      params: { connections: batchers, jobsPerCall: batchJobsMax, rows: batched, statuses: JSON.stringify(batches.statuses), ...batchCpu(batched), ...machine() },
    };
  } finally {
    await stack.close();
  }
}

/** Processor time of the API and of Postgres since now, for each job: what a busy machine doesn't change. */
function cpuOf(stack: BenchStack, api: Part): (jobs: number) => Record<string, number> {
  const before = [stack.cpuSeconds(api), stack.cpuSeconds('postgres')] as const;
  return (jobs) => ({
    api_cpu_us_per_job: round((stack.cpuSeconds(api) - before[0]) * 1e6 / jobs, 0), postgres_cpu_us_per_job: round((stack.cpuSeconds('postgres') - before[1]) * 1e6 / jobs, 0),
  });
}

/** What counts is what stands in the table. */
const jobs = async ({ db }: BenchStack): Promise<number> => (await sql<{ n: number }>`select count(*)::int as n from job`.execute(db)).rows[0]?.n ?? 0;

function run(order: LoadOrder): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(repositoryRoot, 'test/bench/http-load.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('exit', (code) => { if (code !== 0) reject(new Error(`the load generator ended with ${code}`)); });
    child.send(order);
  });
}
