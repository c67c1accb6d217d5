import type { Decided, JobEvent, Outcome, VacateReason } from '#services/jobs/model.ts';
import { vacateJob as vacate } from '#services/jobs/vacate.ts';
import { inTransaction } from '#services/platform/db.ts';
import type { Deps } from '../deps.ts';

export interface VacateJobInput extends Decided {
  readonly event: JobEvent;
  readonly reason: VacateReason;
}

/** Orders every member of the epoch to stop; their nodes are nudged after the commit. */
export const vacateJob = ({ db, config }: Deps) => (input: VacateJobInput): Promise<Outcome> => inTransaction(db, (tx) => vacate(tx, input, config));
