/** Waits for the end of a job and shows how it goes. */
import { setTimeout as delay } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { ask, type Client, type Job } from './client.ts';
import { exitCodes } from './exit-codes.ts';
import { note, paintState } from './output.ts';

const pollMs = 500;
const ended: ReadonlySet<string> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED']);

export const isEnded = (job: Job): boolean => ended.has(job.state);

/** @param show  what to do with each state of the job, e.g. `narrate` */
export async function untilEnded(client: Client, jobId: string, signal: AbortSignal, show: (job: Job) => void = () => undefined): Promise<Job | undefined> {
  while (!signal.aborted) {
    const job = await ask(client.GET('/v1/jobs/{job}', { params: { path: { job: jobId } } }));
    show(job);
    if (isEnded(job)) return job;
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** On a terminal a progress bar, elsewhere a line a change; both on stderr. Call `stop` at the end. */
export function narrate(): { show(job: Job): void; stop(): void } {
  let told = '';
  let bar: SingleBar | undefined;
  return {
    show(job) {
      const total = Number(job.progress?.totalSteps ?? 0);
      if (process.stderr.isTTY && total > 0 && job.state === 'RUNNING') {
        bar ??= startBar(total);
        return bar.update(Number(job.progress?.step ?? 0), { message: job.progress?.message ?? '' });
      }
      const line = `${paintState(job.state)}  ${job.reason}`;
      if (line === told) return;
      told = line;
      bar?.stop();
      bar = undefined;
      note(line);
    },
    stop: () => bar?.stop(),
  };
}

function startBar(total: number): SingleBar {
  const bar = new SingleBar({ format: '{bar} {value}/{total} steps  {message}', hideCursor: true, stream: process.stderr });
  bar.start(total, 0, { message: '' });
  return bar;
}

/** Runs `work` until it ends or Ctrl-C, which leaves the job as it is. */
export async function interruptible(work: (signal: AbortSignal) => Promise<number | void>): Promise<number> {
  const stop = new AbortController();
  let interrupted = false;
  const onSignal = (): void => { interrupted = true; stop.abort(); };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    const code = await work(stop.signal);
    return interrupted ? exitCodes.interrupted : code ?? exitCodes.ok;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

export const exitCodeOf = (job: Job): number => (job.state === 'SUCCEEDED' ? exitCodes.ok : exitCodes.jobFailed);
