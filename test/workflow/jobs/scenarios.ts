/** Lives of a job that the replay corpus records and the fault laws disturb. Each ends in a state of the table. */
import type { JobState } from '#services/jobs/model.ts';
import type { JobSpec } from '#services/jobs/spec.ts';
import { revive } from './fleet.ts';
import type { World } from './world.ts';

export interface Scenario {
  readonly name: string;
  readonly spec: Partial<JobSpec>;
  /** from the submission until the job is where it ends */
  readonly drive: (world: World, jobId: string) => Promise<void>;
  readonly ends: JobState;
  /** it silences a node that others may stand on */
  readonly alone?: true;
}

const gang: Partial<JobSpec> = { members: 2, devicesPerMember: 1 };

async function start(world: World, jobId: string): Promise<void> {
  await world.place(jobId);
  await world.supervised(jobId);
  await world.report(jobId, { state: 'accepted' });
  await world.report(jobId, { state: 'ready' });
  await world.reaches(jobId, 'RUNNING');
}

async function finish(world: World, jobId: string): Promise<void> {
  await world.report(jobId, { state: 'exited', exitCode: 0 });
  await world.reaches(jobId, 'SUCCEEDED');
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'undisturbed', spec: gang, ends: 'SUCCEEDED',
    async drive(world, jobId) {
      await start(world, jobId);
      await finish(world, jobId);
    },
  },
  {
    name: 'member-failed-and-restarted', spec: { ...gang, retry: { userFailures: 1, backoffSeconds: 0 } }, ends: 'SUCCEEDED',
    async drive(world, jobId) {
      await start(world, jobId);
      await world.report(jobId, { state: 'exited', exitCode: 3 }, [1]);
      await world.reaches(jobId, 'QUEUED');
      await start(world, jobId);
      await finish(world, jobId);
    },
  },
  {
    name: 'cancelled', spec: gang, ends: 'CANCELLED',
    async drive(world, jobId) {
      await start(world, jobId);
      await world.cancel(jobId);
      await world.reaches(jobId, 'CANCELLED');
    },
  },
  {
    name: 'lost-and-fenced', spec: { ...gang, retry: { backoffSeconds: 0 } }, ends: 'SUCCEEDED', alone: true,
    async drive(world, jobId) {
      await start(world, jobId);
      await world.silence('node-1');
      await world.reaches(jobId, 'QUEUED');
      world.silentNodes = [];
      await revive(world.db, world.config, 'node-1');
      await start(world, jobId);
      await finish(world, jobId);
    },
  },
  {
    name: 'time-limit', spec: { ...gang, timeLimitSeconds: 1 }, ends: 'FAILED',
    async drive(world, jobId) {
      await start(world, jobId);
      await world.reaches(jobId, 'FAILED');
    },
  },
];
