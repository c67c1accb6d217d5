/**
 * The walking skeleton: from submission to all members running on an idle local stack, and what one undisturbed job
 * costs Temporal. The naive way beside it: the same gang's processes started by hand, without any control plane.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { Client, Connection } from '@temporalio/client';
import { findFreePorts } from '#infra/stack/port-owner.ts';
import { ask, connect, type Client as ApiClient, type Job } from '#services/cli/client.ts';
import { jobWorkflowId } from '#services/jobs/model.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { machine, quantile } from './load.ts';
import type { Figure } from './main.ts';

const gang = 4;
const warmups = 3;
const jobs = 40;
const jobTimeoutMs = 30_000;

interface Stack {
  readonly api: ApiClient;
  readonly temporalAddress: string;
  down(): Promise<void>;
}

export async function* skeleton(): AsyncGenerator<Figure> {
  const stack = await up();
  try {
    const ended = yield* starts(stack, 'skeleton');
    yield { bench: 'skeleton', figure: 'spawn_by_hand_p50_ms', value: quantile(await spawnByHandMs(), 0.5), unit: 'ms', params: { gang, jobs } };
    yield { bench: 'skeleton', figure: 'history_events_undisturbed_job', value: await historyEvents(stack.temporalAddress, ended.at(-1)?.id ?? ''), unit: 'events', params: { gang } };
  } finally {
    await stack.down();
  }
}

/** Only the starts, for another bench. */
export async function* submitToRunning(bench: string): AsyncGenerator<Figure> {
  const stack = await up();
  try {
    yield* starts(stack, bench);
  } finally {
    await stack.down();
  }
}

/** One gang after the other on an idle stack. @returns the jobs */
async function* starts(stack: Stack, bench: string): AsyncGenerator<Figure, Job[]> {
  for (let round = 0; round < warmups; round++) await runJob(stack.api);
  const ended: Job[] = [];
  for (let round = 0; round < jobs; round++) ended.push(await runJob(stack.api));
  const startMs = await Promise.all(ended.map((job) => submitToRunningMs(stack.api, job)));
  const params = { gang, jobs, nodes: 4, ...machine() };
  yield { bench, figure: 'submit_to_running_p50_ms', value: quantile(startMs, 0.5), unit: 'ms', params };
  yield { bench, figure: 'submit_to_running_p99_ms', value: quantile(startMs, 0.99), unit: 'ms', params };
  return ended;
}

/** A stack of its own, as `muster up` starts it. */
async function up(): Promise<Stack> {
  const home = await mkdtemp(path.join(tmpdir(), 'muster-bench-'));
  const [postgres, temporal, ui, nats, api] = await findFreePorts(5);
  const env = {
    MUSTER_HOME: home, MUSTER_POSTGRES_PORT: String(postgres), MUSTER_TEMPORAL_PORT: String(temporal), MUSTER_TEMPORAL_UI_PORT: String(ui),
    MUSTER_NATS_PORT: String(nats), MUSTER_API_PORT: String(api),
  };
  const muster = (...args: string[]) => execa(process.execPath, [path.join(repositoryRoot, 'services/cli/main.ts'), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await muster('up', '--detach', '--json');
  const key = (await readFile(path.join(home, 'secrets/admin-key'), 'utf8')).trim();
  return {
    api: connect({ url: `http://127.0.0.1:${api}`, key }),
    temporalAddress: `127.0.0.1:${temporal}`,
    down: async () => {
      await muster('down');
      await muster('reset', '--yes');
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function runJob(api: ApiClient): Promise<Job> {
  const { id } = await ask(api.POST('/v1/jobs', { body: { name: 'bench', argv: ['/bin/sleep', '0.3'], members: gang, devicesPerMember: 1 } }));
  for (const until = Date.now() + jobTimeoutMs; Date.now() < until; await delay(100)) {
    const job = await ask(api.GET('/v1/jobs/{job}', { params: { path: { job: id } } }));
    if (job.state === 'SUCCEEDED') return job;
    if (job.endedAt !== null) throw new Error(`job ${id} ended ${job.state}: ${job.reason}`);
  }
  throw new Error(`job ${id} did not end within ${jobTimeoutMs} ms`);
}

/** By the database's clock: the row of the submission, and the transaction in which the last member's readiness was counted. */
async function submitToRunningMs(api: ApiClient, job: Job): Promise<number> {
  const attempt = (await ask(api.GET('/v1/jobs/{job}/attempts', { params: { path: { job: job.id } } }))).items[0];
  if (!attempt?.runningAt) throw new Error(`job ${job.id} never ran`);
  return Date.parse(attempt.runningAt) - Date.parse(job.submittedAt);
}

/** The gang's processes without a control plane: what remains is what Muster adds. */
async function spawnByHandMs(): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < jobs; round++) {
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: gang }, () => new Promise<void>((resolve, reject) => {
      spawn('/bin/sleep', ['0'], { stdio: 'ignore' }).once('spawn', resolve).once('error', reject);
    })));
    samples.push(performance.now() - startedAt);
  }
  return samples;
}

async function historyEvents(address: string, jobId: string): Promise<number> {
  const connection = await Connection.connect({ address });
  try {
    return (await new Client({ connection }).workflow.getHandle(jobWorkflowId(jobId)).describe()).historyLength;
  } finally {
    await connection.close();
  }
}
