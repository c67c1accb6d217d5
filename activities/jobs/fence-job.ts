import { fenceJob as fence } from '#services/jobs/fence.ts';
import type { Decided, Outcome } from '#services/jobs/model.ts';
import { inTransaction } from '#services/platform/db.ts';
import type { Deps } from '../deps.ts';

/** Takes the epoch's right to publish, since a node stayed silent past t_fence (P16). */
export const fenceJob = ({ db, config }: Deps) => (decided: Decided): Promise<Outcome> => inTransaction(db, (tx) => fence(tx, decided, config));
