import { readSupervision as readSupervisionView } from '#services/jobs/supervise.ts';
import type { SupervisionView } from '#services/jobs/model.ts';
import type { Deps } from '../deps.ts';

export interface ReadSupervisionInput { readonly jobId: string }

/** The row of a job with its counters and due deadlines. @returns null where the job doesn't exist (undefined can't travel, ST27) */
export const readSupervision = ({ db, config }: Deps) => async (input: ReadSupervisionInput): Promise<SupervisionView | null> =>
  (await readSupervisionView(db, input.jobId, config)) ?? null;
