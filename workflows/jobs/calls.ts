/** How a run calls its activities: time-outs, retries and what becomes of a call when the run is cancelled. */
import { ActivityCancellationType, proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import type { JobActivities } from '#activities/index.ts';

/**
 * The reading of a healthy stack: one marker in the history instead of six events. It gives up soon, since a local
 * activity holds its workflow task open and nobody sees it wait.
 */
export const local = proxyLocalActivities<Pick<JobActivities, 'readSupervision'>>({
  startToCloseTimeout: '2 seconds',
  scheduleToCloseTimeout: '3 seconds',
  retry: { initialInterval: '50 milliseconds', maximumInterval: '500 milliseconds', maximumAttempts: 3 },
  cancellationType: ActivityCancellationType.TRY_CANCEL, // a reading has no effect that anyone would wait for
});

/**
 * One transaction each (below 1 s by design.md §6). Infrastructure errors are retried for the hour, visible among the
 * run's pending activities; after it the run reads the row anew and decides again, so that no decision grows old.
 */
export const callOptions = {
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 2, maximumInterval: '15 seconds' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED, // a transition under way is never left unknown
} as const satisfies ActivityOptions;

export const calls = proxyActivities<JobActivities>(callOptions);
