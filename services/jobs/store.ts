/** SQL of jobs, attempts and members that change: locks, counters, orders. */
import { sql, type Selectable, type UpdateObject } from 'kysely';
import type { Db, Tx } from '../platform/db.ts';
import type { DB } from '../platform/database.ts';
import type { FullJobSpec } from './spec.ts';
import type { AttemptCounters, JobState, VacateReason } from './model.ts';

export type JobRow = Omit<Selectable<DB['job']>, 'state' | 'spec' | 'vacate_reason'> & {
  readonly state: JobState;
  readonly spec: FullJobSpec;
  readonly vacate_reason: VacateReason | null;
};
export type AttemptRow = Selectable<DB['attempt']>;
export type MemberRow = Selectable<DB['member']>;

/** States, reasons and specs are text and jsonb to Postgres; its check constraint and our writes keep them to these types. */
export const toJobRow = (row: Selectable<DB['job']>): JobRow => row as unknown as JobRow;

export interface NewJob {
  readonly id: string;
  readonly teamId: string;
  readonly spec: FullJobSpec;
  readonly priority: number;
  readonly queueDeadlineSeconds: number | null;
  readonly retryOf: string | null;
  readonly requestId: string;
  readonly traceParent: string | null;
}

/**
 * Inserts jobs as QUEUED. One parameter of JSON, whatever their number: with one a column a thousand jobs would have
 * fifteen thousand.
 *
 * @returns their rows, in the order given
 */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<JobRow[]> {
  if (jobs.length === 0) return [];
  const { rows } = await sql<Selectable<DB['job']>>`
    insert into job (id, team_id, name, spec, state, members, priority, preemptible, exclusive, queue_deadline_at, retry_of, request_id, trace_parent)
    select x.id, x."teamId", x.spec ->> 'name', x.spec, 'QUEUED', (x.spec -> 'members')::int, x.priority, (x.spec -> 'preemptible')::boolean, (x.spec -> 'exclusive')::boolean,
      clock_timestamp() + make_interval(secs => x."queueDeadlineSeconds"), x."retryOf", x."requestId", x."traceParent"
    from json_to_recordset(${JSON.stringify(jobs)}) as x (
      id text, "teamId" text, spec jsonb, priority int, "queueDeadlineSeconds" int, "retryOf" text, "requestId" text, "traceParent" text)
    returning *`.execute(tx);
  return rows.map(toJobRow);
}

/** @returns undefined, when someone was faster */
export async function updateJob(tx: Tx, job: Pick<JobRow, 'id' | 'version'>, change: UpdateObject<DB, 'job'>): Promise<JobRow | undefined> {
  const row = await tx
    .updateTable('job')
    .set({ ...change, version: job.version + 1n, changed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', job.id)
    .where('version', '=', job.version)
    .returningAll()
    .executeTakeFirst();
  return row && toJobRow(row);
}

export async function lockAttempt(tx: Tx, jobId: string, epoch: bigint): Promise<AttemptRow | undefined> {
  return tx.selectFrom('attempt').selectAll().where('job_id', '=', jobId).where('epoch', '=', epoch).forUpdate().executeTakeFirst();
}

export async function updateAttempt(tx: Tx, attempt: Pick<AttemptRow, 'job_id' | 'epoch'>, change: UpdateObject<DB, 'attempt'>): Promise<void> {
  await tx.updateTable('attempt').set(change).where('job_id', '=', attempt.job_id).where('epoch', '=', attempt.epoch).execute();
}

export async function membersOf(db: Db | Tx, jobId: string, epoch: bigint): Promise<MemberRow[]> {
  return db.selectFrom('member').selectAll().where('job_id', '=', jobId).where('epoch', '=', epoch).orderBy('rank').execute();
}

export function countersOf(attempt: AttemptRow): AttemptCounters {
  return {
    members: attempt.members,
    accepted: attempt.accepted,
    ready: attempt.ready,
    gone: attempt.gone,
    succeeded: attempt.succeeded,
    userFailed: attempt.user_failed,
    refused: attempt.refused,
  };
}

/** Writes desired = stop for every member of the epoch that is not gone. @returns the nodes whose orders changed */
export async function writeStopOrders(tx: Tx, job: Pick<JobRow, 'id' | 'epoch'>, reason: string, graceMs: number): Promise<string[]> {
  const rows = await tx
    .updateTable('member')
    .set({ desired: 'stop', stop_reason: reason, stop_grace_ms: graceMs })
    .where('job_id', '=', job.id)
    .where('epoch', '=', job.epoch)
    .where('gone_at', 'is', null)
    .where('desired', '=', 'run')
    .returning('node_id')
    .execute();
  return [...new Set(rows.map((row) => row.node_id))];
}

/** The database's clock plus `ms`. Deadlines are the database's (house rule 7). */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000}::double precision)`;
