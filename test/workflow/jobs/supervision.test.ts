/** What a run decides, with the real server, database and worker; each also with no cache, so that every task is a replay. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobSearchAttributes, type Wake } from '#services/jobs/model.ts';
import type { Environment } from '#services/platform/config.ts';
import { leftovers, nothing } from './fleet.ts';
import { scenarios } from './scenarios.ts';
import { until, World } from './world.ts';

/** Issue 3, figure history_events_undisturbed_job. */
const historyEventsMax = 40;

describe.each([
  { cache: 'cached runs', worker: {} },
  { cache: 'replayed at each task', worker: { maxCachedWorkflows: 0 } },
])('supervision, $cache', ({ worker }) => {
  let world: World;
  const open = async (env: Environment = {}): Promise<void> => { world = await World.open({ worker, env }); };
  afterEach(() => world.close());

  describe('with long deadlines', () => {
    beforeEach(() => open());

    it('an undisturbed job succeeds, frees its devices and takes at most 40 history events', async () => {
      const job = await world.submitAndPlace();
      await world.supervised(job);
      await world.report(job, { state: 'accepted' });
      await world.reaches(job, 'STARTING');
      await world.report(job, { state: 'ready' });
      await world.reaches(job, 'RUNNING');
      await world.report(job, { state: 'exited', exitCode: 0 });
      await world.reaches(job, 'SUCCEEDED');
      await world.closed(job);
      const events = (await world.history(job)).events ?? [];
      console.log(JSON.stringify({ figure: 'history_events_undisturbed_job', value: events.length }));
      expect(events.length).toBeLessThanOrEqual(historyEventsMax);
      expect(await leftovers(world.db)).toEqual(nothing);
    });

    it.each(scenarios)('$name ends as $ends with nothing held', async ({ spec, drive, ends }) => {
      const job = await world.submit(spec);
      await drive(world, job);
      await world.closed(job);
      expect((await world.row(job)).state).toBe(ends);
      expect(await leftovers(world.db)).toEqual(nothing);
    });

    it('T52 a gang that lost a member by its exit is stopped whole and pays from the user budget', async () => {
      const job = await world.running({ retry: { userFailures: 1, backoffSeconds: 60 } });
      await world.report(job, { state: 'exited', exitCode: 3 }, [2]);
      const row = await world.reaches(job, 'QUEUED');
      expect(row).toMatchObject({ user_failures: 1, infrastructure_failures: 0 });
      expect(row.not_before!.getTime()).toBeGreaterThan(row.changed_at.getTime() + 50_000);
      expect(await leftovers(world.db)).toEqual(nothing);
    });

    it('a member failure without budget fails the job', async () => {
      const job = await world.running({ retry: { userFailures: 0 } });
      await world.report(job, { state: 'exited', exitCode: null, signal: 'SIGSEGV' }, [0]);
      await world.reaches(job, 'FAILED');
      expect(await leftovers(world.db)).toEqual(nothing);
    });

    it('a member that is gone without an exit pays from the infrastructure budget', async () => {
      const job = await world.running({ retry: { userFailures: 0, infrastructureFailures: 1 } });
      await world.report(job, { state: 'gone' }, [1]);
      expect(await world.reaches(job, 'QUEUED')).toMatchObject({ user_failures: 0, infrastructure_failures: 1 });
    });

    it('a refused start vacates the gang, and the node is avoided', async () => {
      const job = await world.submitAndPlace();
      await world.report(job, { state: 'accepted' }, [0, 1, 2]);
      await world.report(job, { state: 'refused' }, [3]);
      expect(await world.reaches(job, 'QUEUED')).toMatchObject({ infrastructure_failures: 1, avoid_nodes: ['node-4'] });
    });

    it('members that exit 0 one after the other end the job only with the last', async () => {
      const job = await world.running();
      await world.report(job, { state: 'exited', exitCode: 0 }, [0, 1, 2]);
      expect((await world.row(job)).state).toBe('RUNNING');
      await world.report(job, { state: 'exited', exitCode: 0 }, [3]);
      await world.reaches(job, 'SUCCEEDED');
    });

    it('with commits and none readable the job stops, it never starts at step 0', async () => {
      const job = await world.submitAndPlace();
      await world.db.insertInto('checkpoint_pointer').values({ job_id: job, checkpoint_id: null, epoch: 1n, step: 1n }).execute();
      await world.report(job, { state: 'refused' }, [0]);
      expect(await world.reaches(job, 'FAILED')).toMatchObject({ vacate_reason: 'noReadableCheckpoint' });
    });

    it('P29 the time limit replaces a reason that would requeue, while the gang is still leaving', async () => {
      world.obeys = false;
      const job = await world.running({ timeLimitSeconds: 1, retry: { userFailures: 5 }, checkpoint: { graceSeconds: 3_600 } });
      await world.report(job, { state: 'exited', exitCode: 1 }, [0]);
      expect((await world.reaches(job, 'VACATING')).vacate_reason).toBe('memberFailed');
      await until(async () => (await world.row(job)).vacate_reason === 'timeLimit', 'the reason to change');
      world.obeys = true;
      await world.reaches(job, 'FAILED');
    });

    it('P19 a process that outlives its kill deadline is fenced with its node, and the job goes on', async () => {
      world.obeys = false;
      const job = await world.running({ members: 1, devicesPerMember: 2, retry: { userFailures: 0 } });
      await world.cancel(job);
      await world.reaches(job, 'CANCELLED');
      const allocations = await world.db.selectFrom('allocation').select(['state']).where('device_idx', '>=', 0).execute();
      expect(allocations).toEqual([{ state: 'fenced' }, { state: 'fenced' }]);
      expect(await world.db.selectFrom('node').select('cordoned_by_fence').where('id', '=', 'node-1').executeTakeFirst()).toEqual({ cordoned_by_fence: true });
    });

    it('P35 a frozen cluster decides nothing; the thaw is acted upon', async () => {
      const job = await world.running({ retry: { userFailures: 0 } });
      await world.db.updateTable('cluster').set({ frozen_at: sql<Date>`clock_timestamp()` }).execute();
      await world.report(job, { state: 'exited', exitCode: 1 }, [0]);
      await until(async () => (await world.details(job)).includes('the end of a restore'), 'the run to read the freeze');
      expect((await world.row(job)).state).toBe('RUNNING');
      await world.db.updateTable('cluster').set({ frozen_at: null }).execute();
      const { epoch, version, state } = await world.row(job);
      await world.supervisor.signal(job, { epoch: epoch.toString(), version: version.toString(), state });
      await world.reaches(job, 'FAILED');
    });

    it('P26 two last members ready before the run was started: the late `placed` finds a RUNNING job', async () => {
      world.loses = () => true;
      const job = await world.submitAndPlace();
      const placed = await wakeOf(job);
      await world.report(job, { state: 'ready' });
      expect((await world.row(job)).state).toBe('RUNNING');
      expect(await world.supervisor.signal(job, await wakeOf(job))).toBe('done');
      expect(await world.supervisor.describeRun(job)).toBe('none');
      await world.supervisor.start(job, { ...placed, name: 'digits', team: 'default', members: 4, devices: 32, priority: 500 });
      await world.supervised(job);
      world.loses = () => false;
      await world.report(job, { state: 'exited', exitCode: 0 });
      await world.reaches(job, 'SUCCEEDED');
    });

    it('a signal to a closed run counts as done and starts nothing', async () => {
      const job = await world.running();
      await world.report(job, { state: 'exited', exitCode: 0 });
      await world.reaches(job, 'SUCCEEDED');
      await world.closed(job);
      expect(await world.supervisor.signal(job, await wakeOf(job))).toBe('done');
      expect(await world.supervisor.describeRun(job)).toBe('closed');
    });

    it('`placed` told twice makes one run', async () => {
      const job = await world.running();
      const before = (await world.describe(job)).runId;
      await world.supervisor.start(job, { ...(await wakeOf(job)), name: 'digits', team: 'default', members: 4, devices: 32, priority: 500 });
      expect((await world.describe(job)).runId).toBe(before);
    });

    it('P28 an active job whose run was terminated gets another from the sweep', async () => {
      const job = await world.running();
      await world.terminate(job);
      await world.report(job, { state: 'exited', exitCode: 0 });
      expect((await world.row(job)).state).toBe('RUNNING');
      await world.sweep();
      await world.reaches(job, 'SUCCEEDED');
    });

    it('its page says what it waits for, and its list entry whose it is', async () => {
      const job = await world.submitAndPlace();
      await world.supervised(job);
      await until(async () => (await world.details(job)).includes('waiting for'), 'the first step to be told');
      const details = await world.details(job);
      expect(details).toMatch(/RESERVED.*\n[^]*waiting for: rank 0 on node-1, rank 1 on node-2, rank 2 on node-3 and 1 more to accept/);
      expect(details).toContain('runbook: docs/operations.md#a-job-does-not-start');
      const described = await world.describe(job);
      expect(await described.staticSummary()).toBe('digits · team default · 4 members, 32 devices');
      expect(described.typedSearchAttributes.get(jobSearchAttributes.job)).toBe(job);
      expect(described.typedSearchAttributes.get(jobSearchAttributes.phase)).toBe('PLACED');
      expect(described.typedSearchAttributes.get(jobSearchAttributes.devices)).toBe(32);
      await world.silence('node-4');
      await until(async () => (await world.describe(job)).typedSearchAttributes.get(jobSearchAttributes.phase) !== 'PLACED', 'the phase to change');
    });
  });

  it('a gang that is not ready in time is vacated and requeued', async () => {
    await open({ MUSTER_START_TIMEOUT_MS: '600' });
    const job = await world.submitAndPlace();
    await world.report(job, { state: 'accepted' });
    expect(await world.reaches(job, 'QUEUED')).toMatchObject({ infrastructure_failures: 1 });
    expect(await leftovers(world.db)).toEqual(nothing);
  });

  it('a start time-out does not touch a gang that is ready', async () => {
    await open({ MUSTER_START_TIMEOUT_MS: '600' });
    const job = await world.running();
    const { state_since } = await world.row(job);
    await until(async () => Date.now() > state_since.getTime() + 1_000, 'the start time-out to pass');
    expect((await world.row(job)).state).toBe('RUNNING');
  });

  async function wakeOf(job: string): Promise<Wake> {
    const { epoch, version, state } = await world.row(job);
    return { epoch: epoch.toString(), version: version.toString(), state };
  }
});
