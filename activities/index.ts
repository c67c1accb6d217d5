/** All activities of the worker, built from their dependencies. Their names are Temporal's activity types: for ever. */
import type { Deps } from './deps.ts';
import { endJob } from './jobs/end-job.ts';
import { fenceJob } from './jobs/fence-job.ts';
import { readSupervision } from './jobs/read-supervision.ts';
import { succeedJob } from './jobs/succeed-job.ts';
import { vacateJob } from './jobs/vacate-job.ts';

export type { Deps } from './deps.ts';

export const buildActivities = (deps: Deps) => ({
  readSupervision: readSupervision(deps),
  vacateJob: vacateJob(deps),
  succeedJob: succeedJob(deps),
  fenceJob: fenceJob(deps),
  endJob: endJob(deps),
});

export type JobActivities = ReturnType<typeof buildActivities>;
