/** Where a request's trace goes on: activities of a job start their spans below it. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table job add column trace_parent text;
    comment on column job.trace_parent is 'traceparent (W3C) of the request that submitted it; null where tracing was off.';
  `.execute(db);
}
