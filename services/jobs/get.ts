import type { Access, TeamScope } from '../platform/authz-scope.ts';
import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { jobFacts, teamOf, type JobFacts } from './queries.ts';

/** @throws `job_not_found` 404, for ids that are none of ours and for jobs outside the scope too */
export async function getJob(db: Db | Tx, scope: TeamScope, jobId: string): Promise<JobFacts> {
  const facts = isId('job', jobId) ? await jobFacts(db, scope, jobId) : undefined;
  if (!facts) throw problem('job_not_found', { job: shortened(jobId) });
  return facts;
}

/** @throws `job_not_found` 404, where the caller may not see it · `forbidden` 403, where he may see it and do no more */
export async function requireJob(db: Db | Tx, access: Access, jobId: string): Promise<void> {
  const teamId = isId('job', jobId) ? await teamOf(db, jobId) : undefined;
  if (teamId === undefined || !access.see.includes(teamId)) throw problem('job_not_found', { job: shortened(jobId) });
  if (!access.act.includes(teamId)) throw problem('forbidden', { job: jobId });
}

/** A foreign id is shown back, but not at any length. */
const shortened = (id: string): string => JSON.stringify(id.slice(0, 64)).slice(1, -1);
