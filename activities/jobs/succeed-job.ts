import type { Decided, Outcome } from '#services/jobs/model.ts';
import { succeedJob as succeed } from '#services/jobs/succeed.ts';
import { inTransaction } from '#services/platform/db.ts';
import type { Deps } from '../deps.ts';

/** Ends a job whose members all exited 0, and releases its devices. */
export const succeedJob = ({ db }: Deps) => (decided: Decided): Promise<Outcome> => inTransaction(db, (tx) => succeed(tx, decided));
