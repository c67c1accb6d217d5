/** What a life may not leave behind, in processes, rows, streams and runs. */
import { sql } from 'kysely';
import { memberProcesses } from '#infra/stack/members.ts';
import { commandLine } from '#infra/stack/process-identity.ts';
import type { Db } from '#services/platform/db.ts';
import type { Supervisor } from '#services/platform/temporal.ts';

export interface Leftovers {
  /** command lines of members and wrappers that still live */
  readonly processes: readonly string[];
  /** ids of jobs that have an open run */
  readonly openRuns: readonly string[];
  readonly allocations: number;
  /** devices in use, and nodes with cpu or memory in use */
  readonly inUse: number;
  readonly openTickets: number;
  readonly unendedJobs: number;
  readonly openAttempts: number;
  readonly livingMembers: number;
  /** nodes kept out of work by a fence or a stray */
  readonly blockedNodes: number;
  readonly unnumberedEvents: number;
  readonly unpublishedEvents: number;
  readonly deadLetters: number;
}

export const nothing: Leftovers = {
  processes: [], openRuns: [], allocations: 0, inUse: 0, openTickets: 0, unendedJobs: 0, openAttempts: 0, livingMembers: 0,
  blockedNodes: 0, unnumberedEvents: 0, unpublishedEvents: 0, deadLetters: 0,
};

/** @param home  folder below which the agents' data lies */
export async function leftovers(db: Db, supervisor: Pick<Supervisor, 'describeRun'>, home: string): Promise<Leftovers> {
  const { rows } = await sql<Omit<Leftovers, 'processes' | 'openRuns'>>`
    select
      (select count(*)::int from allocation) as "allocations",
      (select count(*)::int from device where used_milli > 0)
        + (select count(*)::int from node where cpu_used_milli > 0 or memory_used_bytes > 0) as "inUse",
      (select count(*)::int from ticket where state = 'OPEN') as "openTickets",
      (select count(*)::int from job where state not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED')) as "unendedJobs",
      (select count(*)::int from attempt where ended_at is null or not fenced) as "openAttempts",
      (select count(*)::int from member where gone_at is null) as "livingMembers",
      (select count(*)::int from node where cordoned_by_fence or stray_members > 0) as "blockedNodes",
      (select count(*)::int from outbox where pos is null) as "unnumberedEvents",
      (select count(*)::int from outbox where pos > coalesce((select pos from event_cursor where reader = 'relay'), 0)) as "unpublishedEvents",
      (select count(*)::int from dead_letter where state = 'DEAD') as "deadLetters"`.execute(db);
  const counts = rows[0];
  if (!counts) throw new Error('the counts have no row');
  return { processes: memberProcesses(home).map(({ pid }) => commandLine(pid) ?? String(pid)), openRuns: await openRunsOf(db, supervisor), ...counts };
}

async function openRunsOf(db: Db, supervisor: Pick<Supervisor, 'describeRun'>): Promise<string[]> {
  const jobs = await db.selectFrom('job').select('id').where('epoch', '>', 0n).execute();
  const states = await Promise.all(jobs.map(async ({ id }) => ({ id, run: await supervisor.describeRun(id) })));
  return states.filter(({ run }) => run === 'open').map(({ id }) => id);
}
