import type { Db } from '../platform/db.ts';

export interface SubmittedBy {
  readonly requestId: string | null;
  /** W3C `traceparent` of the request, where it was traced */
  readonly traceParent: string | null;
}

/** The request that submitted a job, for logs and traces. */
export async function submittedBy(db: Db, jobId: string): Promise<SubmittedBy | undefined> {
  return db.selectFrom('job').select(['request_id as requestId', 'trace_parent as traceParent']).where('id', '=', jobId).executeTakeFirst();
}
