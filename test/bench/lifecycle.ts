/**
 * Whole lifecycles through Temporal: submitted over HTTP, placed, started, supervised by a workflow, ended; the Temporal
 * dev server on a file with WAL, agents simulated in this process. Every role is a process of its own.
 */
import { Client, Connection } from '@temporalio/client';
import { jobWorkflowId } from '#services/jobs/model.ts';
import type { Part } from '../e2e/part.ts';
import { submitMany, untilSucceeded } from './jobs.ts';
import { machine, quantile, round } from './load.ts';
import type { Figure } from './main.ts';
import { BenchStack } from './stack.ts';

const nodes = 32;
const devices = 8;
const warmups = 50;
const jobs = 600;
const runMs = 50;
/** runs whose history is counted; all jobs are alike */
const historiesRead = 50;

export async function* lifecycle(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open();
  try {
    const roles: Part[] = [];
    for (const role of ['api', 'ingest', 'relay', 'reconciler', 'scheduler', 'worker']) roles.push(await stack.start(role));
    const parts = ['postgres', 'temporal', 'nats', ...roles] as const;
    const fleet = await stack.simulate({ nodes: { count: nodes, devices }, programs: { bench: { startMs: [1, 1], runMs: [runMs, runMs] } } });
    await submitMany(stack, warmups, { members: 1, devicesPerMember: 1 });
    await untilSucceeded(stack, warmups);
    let before = warmups;
    for (const members of [1, 4]) {
      const cpuBefore = parts.map((part) => stack.cpuSeconds(part));
      const startedAt = performance.now();
      await submitMany(stack, jobs, { members, devicesPerMember: 1 });
      const submittedS = (performance.now() - startedAt) / 1_000;
      await untilSucceeded(stack, before += jobs);
      const seconds = (performance.now() - startedAt) / 1_000;
      // Where the processor's time goes tells the rate that a machine of one's own would reach, whatever shares this one.
      const cpuMs = Object.fromEntries(parts.map((part, index) => [`${typeof part === 'string' ? part : part.name}_cpu_ms_a_job`, round((stack.cpuSeconds(part) - (cpuBefore[index] ?? 0)) * 1_000 / jobs, 1)]));
      const params = { jobs, members, nodes, devices, run_ms: runMs, submitted_after_s: round(submittedS), ...cpuMs, ...machine() };
      yield { bench: 'lifecycle', figure: members === 1 ? 'jobs_per_s' : `jobs_per_s_gang_${members}`, value: round(jobs / seconds), unit: '1/s', params };
    }
    const lengths = await historyLengths(stack);
    yield { bench: 'lifecycle', figure: 'history_events_undisturbed_job', value: Math.max(...lengths), unit: 'events', params: { median: quantile(lengths, 0.5), jobs: lengths.length, members: 4, ...machine() } };
    await fleet.close();
  } finally {
    await stack.close();
  }
}

/** Of the last jobs. */
async function historyLengths(stack: BenchStack): Promise<number[]> {
  const connection = await Connection.connect({ address: stack.config.temporalAddress });
  try {
    const { workflow } = new Client({ connection });
    const last = await stack.db.selectFrom('job').select('id').orderBy('ended_at', 'desc').limit(historiesRead).execute();
    return await Promise.all(last.map(async ({ id }) => (await workflow.getHandle(jobWorkflowId(id)).describe()).historyLength));
  } finally {
    await connection.close();
  }
}
