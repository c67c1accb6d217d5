import { cancelJob } from '#services/jobs/cancel.ts';
import type { JobRow } from '#services/jobs/store.ts';
import { TeamScope } from '#services/platform/authz-scope.ts';
import type { Config } from '#services/platform/config.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';

/** A cancel by someone who may cancel every team's jobs. */
export const cancelAny = (db: Db, jobId: string, config: Config): Promise<JobRow> =>
  inTransaction(db, (tx) => cancelJob(tx, TeamScope.everyTeam, { jobId }, config));
