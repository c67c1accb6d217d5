import { endJob as end } from '#services/jobs/end.ts';
import type { Decided, Outcome } from '#services/jobs/model.ts';
import { inTransaction } from '#services/platform/db.ts';
import type { Deps } from '../deps.ts';

/** Ends a vacated or cancelled epoch: the job succeeds, fails, is cancelled or queues again, by reason and retry rule. */
export const endJob = ({ db, config }: Deps) => (decided: Decided): Promise<Outcome> => inTransaction(db, (tx) => end(tx, decided, config));
