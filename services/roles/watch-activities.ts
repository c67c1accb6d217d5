/** Around each activity: its time, its failure as a log line with the job's ids, and its span where tracing is on. */
import type { Context } from '@opentelemetry/api';
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { activityDuration } from '../platform/metrics.ts';
import { contextOf, inSpan, isTracing } from '../platform/tracing.ts';
import { submittedBy } from '../jobs/submitted-by.ts';

export interface WatchDeps { readonly db: Db; readonly log: Log }

interface JobActivityInput { readonly jobId?: unknown; readonly epoch?: unknown }

export const watchActivities = ({ db, log }: WatchDeps): ActivityInterceptorsFactory => ({ info }) => {
  const inbound: ActivityInboundCallsInterceptor = {
    async execute(input, next) {
      const { jobId, epoch } = (input.args[0] ?? {}) as JobActivityInput;
      const job = typeof jobId === 'string' ? jobId : undefined;
      const ids = { activity: info.activityType, job, epoch, workflow: info.workflowExecution?.workflowId, run: info.workflowExecution?.runId, attempt: info.attempt };
      const stop = activityDuration.startTimer({ activity: info.activityType });
      try {
        const result = await inSpan(`activity ${info.activityType}`, await parentOf(db, job), attributesOf(ids), () => next(input));
        stop({ result: 'ok' });
        return result;
      } catch (error) {
        stop({ result: 'failed' });
        log.warn({ ...ids, error: error instanceof Error ? error.message : String(error) }, 'an activity failed; Temporal tries again');
        throw error;
      }
    },
  };
  return { inbound };
};

/** Asks the row only while spans go somewhere. */
async function parentOf(db: Db, job: string | undefined): Promise<Context> {
  return contextOf(isTracing() && job !== undefined ? (await submittedBy(db, job).catch(() => undefined))?.traceParent : null);
}

const attributesOf = (ids: Readonly<Record<string, unknown>>): Record<string, string | number> =>
  Object.fromEntries(Object.entries(ids).filter((entry): entry is [string, string | number] => ['string', 'number'].includes(typeof entry[1])).map(([name, value]) => [`muster.${name}`, value]));
