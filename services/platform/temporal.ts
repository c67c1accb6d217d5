/**
 * Temporal as the control plane uses it: the client that starts and wakes supervision runs. One connection a process,
 * made at the first call and again after every failure, so that Temporal's absence ends nothing (SL21).
 */
import { Client, Connection, WorkflowIdConflictPolicy, WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import {
  jobSearchAttributes, jobTaskQueue, jobWorkflowId, jobWorkflowType, wakeSignal,
  type JobWorkflowInput, type PlacementFacts, type Wake,
} from '../jobs/model.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** A call that takes longer has failed: the dispatcher offers its event again. */
const callTimeoutMs = 5_000;
/** gRPC's own back-off goes up to two minutes: a placed job would wait that long after Temporal is back. */
const reconnectSoon = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 };
/** Web UI and visibility refuse longer ones (stack.md 2.2). */
const summaryBytesMax = 200;

export interface Supervisor {
  /**
   * Starts the job's run, or wakes the open one (design.md §3.4): whichever it is, the run reads the row.
   * Repeating it changes nothing but the number of readings.
   *
   * @throws when Temporal didn't answer: it is unknown whether the run was started
   */
  start(jobId: string, wake: Wake & PlacementFacts): Promise<void>;
  /** Wakes the job's open run. @returns `done`, where there is none: nothing is left to tell */
  signal(jobId: string, wake: Wake): Promise<'signalled' | 'done'>;
  /** `none`: never started, or its history has expired */
  describeRun(jobId: string): Promise<'open' | 'closed' | 'none'>;
  /** Jobs with an open run of this scope, as visibility lists them: a second or so behind. */
  openRuns(): AsyncIterable<string>;
  close(): Promise<void>;
}

type TemporalConfig = Pick<Config, 'temporalAddress' | 'temporalNamespace' | 'scope' | 'apiUrl'>;

/** Runs of another scope (tests on one server) are polled by their own workers. */
export const taskQueueOf = (config: Pick<Config, 'scope'>): string =>
  config.scope === 'muster' ? jobTaskQueue : `${jobTaskQueue}-${config.scope}`;

/** The Web UI's page of a job's runs; they all have the job's workflow id. */
export function workflowUrl(config: Pick<Config, 'temporalUiUrl' | 'temporalNamespace'>, jobId: string): string {
  const query = encodeURIComponent(`WorkflowId="${jobWorkflowId(jobId)}"`);
  return `${config.temporalUiUrl}/namespaces/${encodeURIComponent(config.temporalNamespace)}/workflows?query=${query}`;
}

/** Connects at the first call, not here. */
export function openTemporal(config: TemporalConfig, log: Log): Supervisor {
  const connection = Connection.lazy({ address: config.temporalAddress, channelArgs: reconnectSoon });
  const client = new Client({ connection, namespace: config.temporalNamespace });
  const within = <T>(call: () => Promise<T>): Promise<T> => connection.withDeadline(Date.now() + callTimeoutMs, call);

  return {
    async start(jobId, { name, team, members, devices, priority, requestId, epoch, version, state }) {
      const job = `${config.apiUrl}/v1/jobs/${jobId}`;
      const wake: Wake = { epoch, version, state };
      const input: JobWorkflowInput = { jobId, epoch: wake.epoch };
      await within(() => client.workflow.signalWithStart(jobWorkflowType, {
        workflowId: jobWorkflowId(jobId),
        taskQueue: taskQueueOf(config),
        args: [input],
        signal: wakeSignal,
        signalArgs: [wake],
        workflowTaskTimeout: '5 seconds', // a killed worker's task goes to another one after it; local activities end well before
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE, // a run an epoch, all under the job's id
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        staticSummary: cut(`${name} · team ${team} · ${members} ${members === 1 ? 'member' : 'members'}, ${devices} devices`),
        staticDetails: staticDetailsOf(jobId, job, requestId ?? null),
        memo: { job, request: requestId ?? null }, // a run that takes over keeps its memo, not its summary
        typedSearchAttributes: attributesOf(jobId, wake, { team, devices, priority }),
      }));
      log.debug({ job: jobId, epoch: wake.epoch }, 'supervision started or woken');
    },

    async signal(jobId, { epoch, version, state }) {
      try {
        await within(() => client.workflow.getHandle(jobWorkflowId(jobId)).signal(wakeSignal, { epoch, version, state } satisfies Wake));
        return 'signalled';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'done';
        throw error;
      }
    },

    async describeRun(jobId) {
      try {
        const { status } = await within(() => client.workflow.getHandle(jobWorkflowId(jobId)).describe());
        return status.name === 'RUNNING' ? 'open' : 'closed';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'none';
        throw error;
      }
    },

    async *openRuns() {
      const query = `WorkflowType = '${jobWorkflowType}' and ExecutionStatus = 'Running' and TaskQueue = '${taskQueueOf(config)}'`;
      for await (const { workflowId } of client.workflow.list({ query })) yield workflowId.slice(jobWorkflowId('').length);
    },

    close: () => connection.close(),
  };
}

/** Markdown: the way from the Web UI back to the job. */
function staticDetailsOf(jobId: string, url: string, requestId: string | null): string {
  return [`Job [${jobId}](${url}), on the command line \`muster job ${jobId}\``, ...(requestId === null ? [] : [`Submitted by request \`${requestId}\``])].join('  \n');
}

function attributesOf(jobId: string, wake: Wake, facts: Pick<PlacementFacts, 'team' | 'devices' | 'priority'>): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: jobSearchAttributes.job, value: jobId },
    { key: jobSearchAttributes.team, value: facts.team },
    { key: jobSearchAttributes.phase, value: 'PLACED' },
    { key: jobSearchAttributes.epoch, value: Number(wake.epoch) },
    { key: jobSearchAttributes.devices, value: facts.devices },
    { key: jobSearchAttributes.priority, value: facts.priority },
  ]);
}

const cut = (text: string): string => Buffer.from(text).subarray(0, summaryBytesMax).toString('utf8').replace(/\uFFFD+$/u, '');
