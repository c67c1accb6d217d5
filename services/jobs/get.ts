import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { jobExists, jobFacts, type JobFacts } from './queries.ts';

/** @throws `job_not_found` 404, for ids that are none of ours too */
export async function getJob(db: Db | Tx, jobId: string): Promise<JobFacts> {
  const facts = isId('job', jobId) ? await jobFacts(db, jobId) : undefined;
  if (!facts) throw problem('job_not_found', { job: shortened(jobId) });
  return facts;
}

/** @throws `job_not_found` 404 */
export async function requireJob(db: Db, jobId: string): Promise<void> {
  if (!isId('job', jobId) || !(await jobExists(db, jobId))) throw problem('job_not_found', { job: shortened(jobId) });
}

/** A foreign id is shown back, but not at any length. */
const shortened = (id: string): string => JSON.stringify(id.slice(0, 64)).slice(1, -1);
