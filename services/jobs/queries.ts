/** SQL of the reads: the job as the API shows it, lists, attempts, stored events. Nothing here locks. */
import { sql, type RawBuilder } from 'kysely';
import type { TeamScope } from '../platform/authz-scope.ts';
import type { Db, Tx } from '../platform/db.ts';
import type { JobState } from './model.ts';
import { toJobRow, type AttemptRow, type JobRow, type MemberRow } from './store.ts';

/** The row with what its view needs besides. `*_ms` are ages by the database's clock. */
export interface JobFacts {
  readonly job: JobRow;
  readonly team: string;
  readonly attempts: number;
  readonly submittedAtMicros: string;
  readonly stateAgeMs: number;
  readonly waitingAgeMs: number | null;
  readonly membersGone: number | null;
  readonly membersReady: number | null;
  readonly membersAccepted: number | null;
  readonly progress: { readonly step: string; readonly total: string | null; readonly message: string | null } | null;
  /** first member of the current epoch that exited otherwise than 0 */
  readonly failure: { readonly rank: number; readonly node: string; readonly exitCode: number | null; readonly signal: string | null } | null;
  readonly checkpoint: { readonly id: string | null; readonly epoch: string; readonly step: string; readonly movedAt: Date } | null;
}

export interface ListFilter {
  readonly states?: readonly JobState[];
  readonly teamId?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Sort key of a list: submission in microseconds of the epoch, then id; newest first. */
export type ListKey = readonly [submittedAtMicros: string, id: string];

export async function jobFacts(db: Db | Tx, scope: TeamScope, jobId: string): Promise<JobFacts | undefined> {
  return (await readFacts(db, sql`where j.id = ${jobId} and ${scope.where(sql`j.team_id`)}`))[0];
}

export async function listJobFacts(db: Db, scope: TeamScope, filter: ListFilter, after: ListKey | undefined, limit: number): Promise<JobFacts[]> {
  const conditions: RawBuilder<unknown>[] = scope.isEveryTeam ? [] : [scope.where(sql`j.team_id`)];
  if (filter.states) conditions.push(sql`j.state = any(${[...filter.states]}::text[])`);
  if (filter.teamId !== undefined) conditions.push(sql`j.team_id = ${filter.teamId}`);
  if (filter.name !== undefined) conditions.push(sql`j.name = ${filter.name}`);
  if (filter.labels) conditions.push(sql`j.spec -> 'labels' @> ${JSON.stringify(filter.labels)}::jsonb`);
  if (after) conditions.push(sql`(j.submitted_at, j.id) < (to_timestamp(${after[0]}::numeric / 1000000), ${after[1]})`);
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  return readFacts(db, sql`${where} order by j.submitted_at desc, j.id desc limit ${limit}`);
}

type FactsRow = Record<string, unknown> & {
  team: string; attempts: number; submitted_at_micros: bigint; state_age_ms: number; waiting_age_ms: number | null;
  members_gone: number | null; members_ready: number | null; members_accepted: number | null;
  progress_step: bigint | null; progress_total: bigint | null; progress_message: string | null;
  failed_rank: number | null; failed_node: string; failed_code: number | null; failed_signal: string | null;
  checkpoint_id: string | null; checkpoint_epoch: bigint | null; checkpoint_step: bigint | null; checkpoint_moved_at: Date | null;
};

async function readFacts(db: Db | Tx, tail: RawBuilder<unknown>): Promise<JobFacts[]> {
  const { rows } = await sql<FactsRow>`
    with page as (select j.* from job j ${tail})
    select p.*, t.name as team, (extract(epoch from p.submitted_at) * 1000000)::bigint as submitted_at_micros,
      (select count(*)::int from attempt c where c.job_id = p.id) as attempts,
      (extract(epoch from clock_timestamp() - p.state_since) * 1000)::float8 as state_age_ms,
      (extract(epoch from clock_timestamp() - p.waiting_since) * 1000)::float8 as waiting_age_ms,
      a.gone as members_gone, a.ready as members_ready, a.accepted as members_accepted,
      m.progress_step, m.progress_total, m.progress_message,
      f.rank as failed_rank, f.node_id as failed_node, f.exit_code as failed_code, f.exit_signal as failed_signal,
      c.checkpoint_id, c.epoch as checkpoint_epoch, c.step as checkpoint_step, c.moved_at as checkpoint_moved_at
    from page p
      join team t on t.id = p.team_id
      left join attempt a on a.job_id = p.id and a.epoch = p.epoch
      left join member m on m.job_id = p.id and m.epoch = p.epoch and m.rank = 0
      left join lateral (
        select rank, node_id, exit_code, exit_signal from member x
        where x.job_id = p.id and x.epoch = p.epoch and p.state in ('VACATING', 'FAILED') and x.gone_kind = 'exited' and x.exit_code is distinct from 0
        order by x.gone_at, x.rank limit 1) f on true
      left join checkpoint_pointer c on c.job_id = p.id
    order by p.submitted_at desc, p.id desc`.execute(db);
  return rows.map(toFacts);
}

function toFacts(row: FactsRow): JobFacts {
  return {
    job: toJobRow(row as never),
    team: row.team,
    attempts: row.attempts,
    submittedAtMicros: row.submitted_at_micros.toString(),
    stateAgeMs: row.state_age_ms,
    waitingAgeMs: row.waiting_age_ms,
    membersGone: row.members_gone,
    membersReady: row.members_ready,
    membersAccepted: row.members_accepted,
    progress: row.progress_step === null ? null : { step: row.progress_step.toString(), total: row.progress_total?.toString() ?? null, message: row.progress_message },
    failure: row.failed_rank === null ? null : { rank: row.failed_rank, node: row.failed_node, exitCode: row.failed_code, signal: row.failed_signal },
    checkpoint: row.checkpoint_epoch === null || row.checkpoint_step === null || row.checkpoint_moved_at === null ? null
      : { id: row.checkpoint_id, epoch: row.checkpoint_epoch.toString(), step: row.checkpoint_step.toString(), movedAt: row.checkpoint_moved_at },
  };
}

export async function teamOf(db: Db | Tx, jobId: string): Promise<string | undefined> {
  return (await db.selectFrom('job').select('team_id').where('id', '=', jobId).executeTakeFirst())?.team_id;
}

/** Newest first, below epoch `before`. */
export async function listAttempts(db: Db, jobId: string, before: bigint | undefined, limit: number): Promise<AttemptRow[]> {
  let query = db.selectFrom('attempt').selectAll().where('job_id', '=', jobId).orderBy('epoch', 'desc').limit(limit);
  if (before !== undefined) query = query.where('epoch', '<', before);
  return query.execute();
}

export async function membersOfEpochs(db: Db, jobId: string, epochs: readonly bigint[]): Promise<MemberRow[]> {
  if (epochs.length === 0) return [];
  return db.selectFrom('member').selectAll().where('job_id', '=', jobId).where('epoch', 'in', [...epochs]).orderBy('epoch', 'desc').orderBy('rank').execute();
}

/** Waiting jobs of a team, counted no further than `max`. */
export async function countWaiting(db: Db | Tx, teamId: string, max: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (
      select from job where team_id = ${teamId} and state in ('SUBMITTED', 'QUEUED') limit ${max}) waiting`.execute(db);
  return rows[0]?.waiting ?? 0;
}

export interface StoredEvent { readonly pos: bigint; readonly kind: string; readonly version: bigint; readonly payload: unknown; readonly createdAt: Date }

/** Sequenced events of one key after `pos`, in their order, as long as they are retained. */
export async function storedEvents(db: Db, key: string, pos: bigint, limit: number): Promise<StoredEvent[]> {
  const rows = await db.selectFrom('outbox').select(['pos', 'kind', 'version', 'payload', 'created_at'])
    .where('key', '=', key).where('pos', '>', pos).orderBy('pos').limit(limit).execute();
  return rows.map((row) => ({ pos: row.pos ?? 0n, kind: row.kind, version: row.version, payload: row.payload, createdAt: row.created_at }));
}
