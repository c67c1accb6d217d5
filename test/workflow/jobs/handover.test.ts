/** P27: a signal that arrives while a run returns, and a newer epoch that is placed in that moment. */
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { afterEach, describe, expect, it } from 'vitest';
import { jobSearchAttributes } from '#services/jobs/model.ts';
import { until, World } from './world.ts';

describe.each([
  { cache: 'cached runs', worker: {} },
  { cache: 'replayed at each task', worker: { maxCachedWorkflows: 0 } },
])('P27 hand-over to the next epoch, $cache', ({ worker }) => {
  let world: World;
  /** Runs after the activity has done its work, before its answer reaches the run. */
  let afterwards: (activityType: string, result: unknown, isLocal: boolean) => Promise<void> = () => Promise.resolve();
  const gate: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const result = await next(input);
        await afterwards(info.activityType, result, info.isLocal);
        return result;
      },
    },
  });
  afterEach(() => world.close());

  async function failedOnce(): Promise<string> {
    afterwards = () => Promise.resolve();
    world = await World.open({ worker: { ...worker, interceptors: { activity: [gate] } } });
    return world.running({ members: 2, devicesPerMember: 1, retry: { userFailures: 1, backoffSeconds: 0 } });
  }

  /** Places the next epoch and tells the run at once, as the dispatcher would. */
  async function placeAndTell(job: string): Promise<void> {
    const epoch = await world.place(job);
    const { version } = await world.row(job);
    await world.supervisor.start(job, { epoch, version: version.toString(), state: 'RESERVED', name: 'digits', team: 'default', members: 2, devices: 2, priority: 500 });
  }

  async function expectSecondEpochSupervised(job: string, firstRun: string): Promise<void> {
    await world.supervised(job);
    const described = await world.describe(job);
    expect(described.status.name).toBe('RUNNING');
    const { epoch } = await world.row(job);
    await until(async () => (await world.describe(job)).typedSearchAttributes.get(jobSearchAttributes.epoch) === Number(epoch), 'the list to show the new epoch');
    expect((await world.describe(job)).runId).not.toBe(firstRun);
    await world.report(job, { state: 'ready' });
    await world.report(job, { state: 'exited', exitCode: 0 });
    await world.reaches(job, 'SUCCEEDED');
    await world.closed(job);
  }

  it('the next epoch is placed while the answer of the ending is on its way', async () => {
    const job = await failedOnce();
    const { runId } = await world.describe(job);
    let placed = false;
    afterwards = async (activityType) => {
      if (activityType !== 'endJob' || placed) return;
      await placeAndTell(job);
      placed = true;
    };
    await world.report(job, { state: 'exited', exitCode: 3 }, [1]);
    await until(() => Promise.resolve(placed), 'the ending');
    await expectSecondEpochSupervised(job, runId);
  });

  it('the next epoch is placed after the run has read that nothing is left to do', async () => {
    const job = await failedOnce();
    const { runId } = await world.describe(job);
    let placed = false;
    afterwards = async (activityType, result) => {
      if (activityType !== 'readSupervision' || placed || (result as { state: string }).state !== 'QUEUED') return;
      await placeAndTell(job);
      placed = true;
    };
    await world.report(job, { state: 'exited', exitCode: 3 }, [1]);
    await until(() => Promise.resolve(placed), 'the last reading');
    await expectSecondEpochSupervised(job, runId);
  });

  it('the same, where the last reading was a slow one: its signal came before its answer', async () => {
    const job = await failedOnce();
    const { runId } = await world.describe(job);
    let placed = false;
    afterwards = async (activityType, result, isLocal) => {
      if (activityType !== 'readSupervision' || placed || (result as { state: string }).state !== 'QUEUED') return;
      if (isLocal) throw new Error('injected: the database is away');
      await placeAndTell(job);
      placed = true;
    };
    await world.report(job, { state: 'exited', exitCode: 3 }, [1]);
    await until(() => Promise.resolve(placed), 'the last reading');
    await expectSecondEpochSupervised(job, runId);
  });
});
