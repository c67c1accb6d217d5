/** A world for the job workflow: a database of its own, a fleet of rows, the real worker role, and a courier of events. */
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection, type WorkflowExecutionDescription, type WorkflowExecutionInfo } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { WorkerOptions } from '@temporalio/worker';
import { pino } from 'pino';
import { cancelJob } from '#services/jobs/cancel.ts';
import { isActive, jobWorkflowId, type JobState } from '#services/jobs/model.ts';
import type { JobSpec } from '#services/jobs/spec.ts';
import type { JobRow } from '#services/jobs/store.ts';
import { TeamScope } from '#services/platform/authz-scope.ts';
import type { Config, Environment } from '#services/platform/config.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { openTemporal, type Supervisor } from '#services/platform/temporal.ts';
import { installTemporalRuntime, runWorker } from '#services/roles/worker.ts';
import { openWorld, type World as Stack } from '../../setup/world.ts';
import { insertFleet, insertJob, obeyStops, placeJob, report, silence, type Report } from './fleet.ts';

export type History = temporal.api.history.v1.IHistory;

export interface WorldOptions {
  readonly env?: Environment;
  readonly worker?: Pick<WorkerOptions, 'interceptors' | 'maxCachedWorkflows' | 'stickyQueueScheduleToStartTimeout'>;
  /** without: the test starts and stops the worker itself */
  readonly withoutWorker?: true;
}

const lines: string[] = [];
const memory = new Writable({ write(chunk: Buffer, _encoding, done) { lines.push(chunk.toString()); done(); } });
const log = pino({ level: process.env['MUSTER_LOG_LEVEL'] ?? 'warn' }, memory);
let isInstalled = false;

/** Lines of the SDK and the worker, of this process. */
export const logLines = (): readonly string[] => lines;

export class World {
  readonly db: Db;
  readonly config: Config;
  readonly supervisor: Supervisor;
  readonly #options: WorldOptions;
  readonly #connection: Connection;
  readonly #stack: Stack;
  readonly #couriers = new AbortController();
  readonly #loops: Promise<void>[] = [];
  #worker: { stop: AbortController; done: Promise<void> } | undefined;
  #placing: Promise<unknown> = Promise.resolve();
  /** events that the courier loses */
  loses: (kind: string, state: JobState) => boolean = () => false;
  /** nodes whose agents are away: they obey nothing */
  silentNodes: string[] = [];
  obeys = true;

  private constructor(options: WorldOptions, stack: Stack) {
    this.#options = options;
    this.#stack = stack;
    this.config = stack.config;
    this.db = stack.db;
    this.supervisor = openTemporal(stack.config, log);
    this.#connection = Connection.lazy({ address: stack.config.temporalAddress });
  }

  static async open(options: WorldOptions = {}): Promise<World> {
    if (!isInstalled) installTemporalRuntime(log);
    isInstalled = true;
    const world = new World(options, await openWorld({ MUSTER_LOST_GRACE_MS: '200', MUSTER_STUCK_GRACE_MS: '1000', ...options.env }));
    await insertFleet(world.db);
    world.#loops.push(world.#carryEvents(), world.#obeyStops());
    if (!options.withoutWorker) await world.startWorker();
    return world;
  }

  async close(): Promise<void> {
    this.#couriers.abort();
    await Promise.all(this.#loops);
    await this.stopWorker();
    const open = await this.db.selectFrom('job').select('id').execute();
    await Promise.all(open.map(({ id }) => this.#handle(id).terminate('the test is over').catch(() => undefined)));
    await this.supervisor.close();
    await this.#connection.close();
    await this.#stack.close();
  }

  async startWorker(): Promise<void> {
    const stop = new AbortController();
    const ready = Promise.withResolvers<void>();
    const done = runWorker({ config: this.config, db: this.db, log, signal: stop.signal, onReady: ready.resolve, options: this.#options.worker ?? {} });
    this.#worker = { stop, done };
    await ready.promise;
  }

  async stopWorker(): Promise<void> {
    this.#worker?.stop.abort();
    await this.#worker?.done;
    this.#worker = undefined;
  }

  submit(spec?: Partial<JobSpec>): Promise<string> { return insertJob(this.db, spec); }
  /** One after the other, as the one leader places: two at once would choose the same devices. */
  place(jobId: string): Promise<string> {
    const placed = this.#placing.then(() => placeJob(this.db, jobId));
    this.#placing = placed.catch(() => undefined);
    return placed;
  }
  report(jobId: string, what: Report, ranks?: readonly number[], epoch?: bigint): Promise<void> { return report(this.db, this.config, jobId, what, ranks, epoch); }
  async cancel(jobId: string): Promise<void> { await inTransaction(this.db, (tx) => cancelJob(tx, TeamScope.everyTeam, { jobId }, this.config)); }
  async silence(nodeId: string): Promise<void> {
    this.silentNodes.push(nodeId);
    await silence(this.db, this.config, nodeId);
  }
  /** what a role's process gets to see the same world */
  get env(): Environment { return this.#stack.env; }
  get log(): Stack['log'] { return this.#stack.log; }

  async submitAndPlace(spec?: Partial<JobSpec>): Promise<string> {
    const jobId = await this.submit(spec);
    await this.place(jobId);
    return jobId;
  }

  /** A placed gang, all members ready, its run waiting for events. */
  async running(spec?: Partial<JobSpec>): Promise<string> {
    const jobId = await this.submitAndPlace(spec);
    await this.report(jobId, { state: 'ready' });
    await this.supervised(jobId);
    return jobId;
  }

  /** Waits until a run has read the current epoch. */
  async supervised(jobId: string): Promise<void> {
    await until(async () => {
      const row = await this.db.selectFrom('attempt').innerJoin('job', (join) => join.onRef('job.id', '=', 'attempt.job_id').onRef('job.epoch', '=', 'attempt.epoch'))
        .select('attempt.supervised_at').where('job.id', '=', jobId).executeTakeFirst();
      return row?.supervised_at != null;
    }, `${jobId} to be supervised`);
  }

  async row(jobId: string): Promise<JobRow> {
    return (await this.db.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()) as unknown as JobRow;
  }

  async reaches(jobId: string, ...states: readonly JobState[]): Promise<JobRow> {
    let row = await this.row(jobId);
    await until(async () => { row = await this.row(jobId); return states.includes(row.state); }, () => `${jobId} to be ${states.join(' or ')}, it is ${row.state}`);
    return row;
  }

  /** Waits until no run of the job is open. */
  async closed(jobId: string): Promise<void> {
    await until(async () => (await this.supervisor.describeRun(jobId)) === 'closed', `the run of ${jobId} to return`);
  }

  #handle(jobId: string) {
    return new Client({ connection: this.#connection }).workflow.getHandle(jobWorkflowId(jobId));
  }

  async terminate(jobId: string): Promise<void> { await this.#handle(jobId).terminate('by an operator'); }
  history(jobId: string): Promise<History> { return this.#handle(jobId).fetchHistory(); }
  /** Of every run of the job, oldest first, once all `count` of them have ended. */
  async histories(jobId: string, count: number): Promise<History[]> {
    let ended: WorkflowExecutionInfo[] = [];
    await until(async () => {
      ended = (await this.runs(jobId)).filter((run) => run.status.name !== 'RUNNING'); // visibility lags behind
      return ended.length >= count;
    }, () => `${count} ended runs of ${jobId}, there are ${ended.length}`);
    ended.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
    const { workflow } = new Client({ connection: this.#connection });
    return Promise.all(ended.map((run) => workflow.getHandle(run.workflowId, run.runId).fetchHistory()));
  }
  describe(jobId: string): Promise<WorkflowExecutionDescription> { return this.#handle(jobId).describe(); }
  /** Types of the activities that the Web UI shows as pending. */
  async pendingActivities(jobId: string): Promise<string[]> {
    const { raw } = await this.describe(jobId);
    return (raw.pendingActivities ?? []).map((activity) => activity.activityType?.name ?? '');
  }
  /** What the Web UI shows as the run's current details. */
  async details(jobId: string): Promise<string> {
    const metadata = await this.#handle(jobId).query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return metadata.currentDetails ?? '';
  }
  async runs(jobId: string): Promise<WorkflowExecutionInfo[]> {
    const runs: WorkflowExecutionInfo[] = [];
    for await (const run of new Client({ connection: this.#connection }).workflow.list({ query: `WorkflowId="${jobWorkflowId(jobId)}"` })) runs.push(run);
    return runs;
  }

  /** The dispatcher's rule on the outbox: `placed` starts or wakes a run, everything else only wakes one (design.md §3.4). */
  async #carryEvents(): Promise<void> {
    const carried = new Set<bigint>();
    while (!this.#couriers.signal.aborted) {
      const rows = await this.db.selectFrom('outbox').select(['id', 'kind', 'key', 'version', 'payload']).where('key', 'like', 'job/%').orderBy('id').execute();
      for (const { id, kind, version, payload } of rows) {
        if (carried.has(id)) continue;
        const { job, state, epoch } = payload as unknown as { job: string; state: JobState; epoch: string };
        const wake = { epoch, version: version.toString(), state };
        if (!this.loses(kind, state) && !(await this.#deliver(kind, job, wake))) break;
        carried.add(id);
      }
      await delay(15);
    }
  }

  async #deliver(kind: string, jobId: string, wake: { epoch: string; version: string; state: JobState }): Promise<boolean> {
    try {
      if (kind === 'job.placed') await this.supervisor.start(jobId, { ...wake, name: 'digits', team: 'default', members: 4, devices: 32, priority: 500 });
      else await this.supervisor.signal(jobId, wake);
      return true;
    } catch {
      return false; // offered again, as by the dispatcher
    }
  }

  async #obeyStops(): Promise<void> {
    while (!this.#couriers.signal.aborted) {
      if (this.obeys) await obeyStops(this.db, this.config, this.silentNodes);
      await delay(15);
    }
  }

  /** Sends `placed` again for active jobs without an open run (P28). */
  async sweep(): Promise<void> {
    for (const { id } of await this.db.selectFrom('job').select('id').execute()) {
      const { state, epoch, version } = await this.row(id);
      if (isActive(state) && (await this.supervisor.describeRun(id)) !== 'open') {
        await this.#deliver('job.placed', id, { epoch: epoch.toString(), version: version.toString(), state });
      }
    }
  }
}

export async function until(holds: () => Promise<boolean>, what: string | (() => string), withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${typeof what === 'string' ? what : what()}; log:\n${lines.slice(-20).join('')}`);
    await delay(20);
  }
}
