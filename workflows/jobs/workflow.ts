import { continueAsNew, defineSignal, setHandler } from '@temporalio/workflow';
import { wakeSignal, type JobWorkflowInput, type Wake } from '#services/jobs/model.ts';
import { Supervision, type JobEnd } from './state.ts';

const wake = defineSignal<[Wake]>(wakeSignal);

/**
 * Supervises one epoch of one job, from its placement until its end is in the row (design.md §3.4). It decides only
 * from what it reads; a signal says no more than "read again". Cancelling the run ends the supervision, not the job:
 * the sweep starts another (P28).
 */
export async function job(input: JobWorkflowInput): Promise<JobEnd> {
  const run = new Supervision(input);
  setHandler(wake, () => run.wake());
  for (;;) {
    await run.step();
    // No await from here to the return: a signal that comes later finds a closed run, an earlier one was seen (P27).
    const successor = run.successor;
    if (successor) return continueAsNew<typeof job>(successor);
    if (run.over) return run.end();
    await run.untilWoken();
  }
}
