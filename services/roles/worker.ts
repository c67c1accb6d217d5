/** The worker role: runs the workflows and their activities. Waits for what is away, ends cleanly on a signal. */
import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { buildActivities } from '#activities/index.ts';
import { loadWorkflowBundle } from '#infra/temporal/bundle.ts';
import { searchAttributeRemedy, searchAttributes } from '#infra/temporal/search-attributes.ts';
import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import { taskQueueOf } from '../platform/temporal.ts';
import { temporalLogger } from '../platform/temporal-log.ts';
import { watchWorker } from './measure.ts';
import { watchActivities } from './watch-activities.ts';
import { aborted, runProcess, type Role } from './process.ts';

const retryMinMs = 200;
const retryMaxMs = 5_000;
/** Activities are single transactions of less than a second; the role has 10 s to end. */
const shutdownGraceTime = '5 seconds';
const shutdownForceTime = '8 seconds';
/** A killed worker's runs wait that long before another worker gets them; the SDK's 10 s would be seen by users. */
const stickyQueueScheduleToStartTimeout = '2 seconds';

export interface WorkerRole extends Role {
  /** interceptors and cache size of tests */
  readonly options?: Pick<WorkerOptions, 'interceptors' | 'maxCachedWorkflows' | 'stickyQueueScheduleToStartTimeout'>;
}

/** Runs until the signal; a dependency that is away is waited for, one that drops is connected to again (SL21). */
export async function runWorker(role: WorkerRole): Promise<void> {
  const { log, signal } = role;
  let isReady = false;
  const onReady = (): void => {
    if (!isReady) role.onReady?.();
    isReady = true;
  };
  for (let failures = 0; !signal.aborted; ) {
    const startedAt = performance.now();
    try {
      await serve({ ...role, onReady });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (performance.now() - startedAt > 60_000) failures = 0; // it had worked
      const waitMs = Math.min(retryMaxMs, retryMinMs * 2 ** failures) * (0.5 + Math.random() / 2);
      failures += 1;
      log.warn({ error: messageOf(error), waitMs: Math.round(waitMs) }, 'worker not running; trying again');
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function serve({ config, db, log, signal, onReady, options }: WorkerRole): Promise<void> {
  await db.selectFrom('cluster').select('cluster_id').executeTakeFirstOrThrow();
  const connection = await NativeConnection.connect({ address: config.temporalAddress });
  try {
    await requireSearchAttributes(connection, config);
    const worker = await Worker.create({
      connection,
      namespace: config.temporalNamespace,
      taskQueue: taskQueueOf(config),
      workflowBundle: await loadWorkflowBundle(config, log),
      activities: buildActivities({ db, config, log }),
      maxCachedWorkflows: config.workerCachedWorkflowsMax,
      maxConcurrentActivityTaskExecutions: config.workerActivitiesMax,
      maxConcurrentLocalActivityExecutions: config.workerActivitiesMax,
      stickyQueueScheduleToStartTimeout,
      shutdownGraceTime,
      shutdownForceTime,
      ...options,
      interceptors: { ...options?.interceptors, activity: [watchActivities({ db, log }), ...(options?.interceptors?.activity ?? [])] },
    });
    const unwatch = watchWorker(worker);
    await worker.runUntil(async () => {
      log.info({ taskQueue: taskQueueOf(config), temporal: config.temporalAddress }, 'worker polls');
      onReady?.();
      await aborted(signal);
    }).finally(unwatch);
  } finally {
    await connection.close();
  }
}

/** @throws Error with the command that adds what is missing */
async function requireSearchAttributes(connection: NativeConnection, config: Config): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: config.temporalNamespace });
  const missing = Object.keys(searchAttributes).filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  const remedy = searchAttributeRemedy(missing, config.temporalAddress, config.temporalNamespace);
  throw new Error(`search attributes ${missing.join(', ')} are not registered: ${remedy}`);
}

const messageOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof Error && error.cause instanceof Error ? `${text}: ${error.cause.message}` : text;
};

/** Once a process, before any other use of the SDK. Signals are ours: the SDK would take them from the other roles. */
export function installTemporalRuntime(log: Log, config?: Pick<Config, 'metricsHost' | 'temporalMetricsPort'>): void {
  const port = config?.temporalMetricsPort ?? 0;
  Runtime.install({
    logger: temporalLogger(log),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(port === 0 ? {} : { metrics: { prometheus: { bindAddress: `${config?.metricsHost}:${port}`, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true } } }),
    },
    shutdownSignals: [],
  });
}

if (import.meta.main) {
  await runProcess('worker', (role) => {
    installTemporalRuntime(role.log, role.config);
    return runWorker(role);
  });
}
