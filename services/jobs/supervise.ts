/** What a run reads at its start and at each wake: one view of the row, its counters and its deadlines. */
import { sql } from 'kysely';
import type { Db } from '../platform/db.ts';
import { deadlinesOf, type DeadlineConfig, type Deadlines } from './deadlines.ts';
import { isActive, type SupervisionView } from './model.ts';
import { countersOf, membersOf, toJobRow, type JobRow, type MemberRow } from './store.ts';

/** @returns undefined for an unknown job */
export async function readSupervision(db: Db, jobId: string, config: DeadlineConfig): Promise<SupervisionView | undefined> {
  const row = await db.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirst();
  if (!row) return undefined;
  const job = toJobRow(row);
  const [attempt, members, deadlines, cluster, team, pointer] = await Promise.all([
    db.selectFrom('attempt').selectAll().where('job_id', '=', jobId).where('epoch', '=', job.epoch).executeTakeFirst(),
    membersOf(db, jobId, job.epoch),
    deadlinesOf(db, jobId, config),
    db.selectFrom('cluster').select(['incarnation', 'frozen_at']).executeTakeFirstOrThrow(),
    db.selectFrom('team').select('name').where('id', '=', job.team_id).executeTakeFirstOrThrow(),
    db.selectFrom('checkpoint_pointer').select('checkpoint_id').where('job_id', '=', jobId).executeTakeFirst(),
  ]);
  if (isActive(job.state) && attempt && attempt.supervised_at === null) await markSupervised(db, jobId, job.epoch);
  return {
    jobId, name: job.name, team: team.name, state: job.state, version: job.version.toString(), epoch: job.epoch.toString(),
    incarnation: cluster.incarnation, frozen: cluster.frozen_at !== null,
    counters: attempt ? countersOf(attempt) : { members: job.members, accepted: 0, ready: 0, gone: 0, succeeded: 0, userFailed: 0, refused: 0 },
    vacateReason: job.vacate_reason,
    checkpointsUnreadable: pointer !== undefined && pointer.checkpoint_id === null,
    ...deadlines,
    waitingFor: waitingFor(job, members, deadlines),
  };
}

/**
 * Placement stops when Temporal is away for too many starts (design.md §3.4): a run that reads the row is the sign of
 * life. The job is locked first, as everywhere: its first beats arrive at this very moment.
 */
async function markSupervised(db: Db, jobId: string, epoch: bigint): Promise<void> {
  await sql`
    with locked as materialized (select id from job where id = ${jobId} for no key update),
    seen as (
      update attempt a set supervised_at = clock_timestamp() from locked l
      where a.job_id = l.id and a.epoch = ${epoch} and a.supervised_at is null returning a.job_id)
    update job set unsupervised_attempts = 0 where id in (select job_id from seen) and unsupervised_attempts > 0`.execute(db);
}

const named = (members: readonly MemberRow[]): string =>
  members.length === 0 ? 'nothing' : members.slice(0, 3).map((member) => `rank ${member.rank} on ${member.node_id}`).join(', ') + (members.length > 3 ? ` and ${members.length - 3} more` : '');

function waitingFor(job: JobRow, members: readonly MemberRow[], { nextDeadlineMs }: Deadlines): string {
  const living = members.filter((member) => member.gone_at === null);
  const within = nextDeadlineMs === null ? '' : `, at most ${Math.ceil(nextDeadlineMs / 1000)} s`;
  switch (job.state) {
    case 'SUBMITTED': return 'its credit hold';
    case 'QUEUED': return job.waiting_detail ?? 'a placement';
    case 'RESERVED': return `${named(members.filter((member) => member.accepted_at === null))} to accept${within}`;
    case 'STARTING': return `${named(members.filter((member) => member.ready_at === null))} to be ready${within}`;
    case 'RUNNING': return `${living.length} of ${members.length} members to exit`;
    case 'LOST': return `a silent node of ${named(living)} to be heard, or its fence${within}`;
    case 'VACATING':
    case 'CANCELLING': return `${named(living)} to be gone${within}`;
    default: return 'nothing: the job has ended';
  }
}
