/** The laws as one statement of SQL each: the rows that break one. Nothing is what a healthy fleet gives, at any time. */
import { sql } from 'kysely';
import type { Db } from '#services/platform/db.ts';

const queries: Readonly<Record<string, string>> = {
  'law 1: a device says what its allocations add up to, and no more than it has': `
    select d.node_id || '/' || d.idx as what from device d left join allocation a on a.node_id = d.node_id and a.device_idx = d.idx
    group by d.node_id, d.idx, d.used_milli having d.used_milli <> coalesce(sum(a.milli), 0) or d.used_milli > 1000`,
  'law 1: so does a node with cpu and memory': `
    select n.id as what from node n left join allocation a on a.node_id = n.id group by n.id
    having n.cpu_used_milli <> coalesce(sum(a.cpu_milli), 0) or n.cpu_used_milli > n.cpu_milli
      or n.memory_used_bytes <> coalesce(sum(a.memory_bytes), 0) or n.memory_used_bytes > n.memory_bytes`,
  'law 2: a placed gang holds the devices of all its members, a waiting or ended one none': `
    select j.id || ' ' || j.state || ' ' || count(a.*) || ' of ' || j.members as what from job j
    left join allocation a on a.job_id = j.id and a.epoch = j.epoch and a.held_by = 'job' and a.state = 'held' and a.device_idx >= 0
    group by j.id having count(a.*) <> case
      when j.state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST') then j.members * (j.spec->>'devicesPerMember')::int
      when j.state in ('VACATING', 'CANCELLING') then count(a.*) else 0 end`,
  'law 3: the events of a job rise by one': `
    select key || ' v' || version as what from (
      select key, version, lag(version) over (partition by key order by id) as before from outbox where key like 'job/%' and kind <> 'job.attention') e
    where version <> coalesce(before, 0) + 1`,
  'law 4: a member that has not gone keeps its devices': `
    select m.job_id || ' ' || m.epoch || ' ' || m.rank as what from member m join job j on j.id = m.job_id
    where m.gone_at is null and (j.spec->>'devicesPerMember')::int > 0
      and not exists (select from allocation a where a.job_id = m.job_id and a.epoch = m.epoch and a.rank = m.rank)`,
  'law 5: only the newest epoch of a job is open to publish': `
    select a.job_id || ' ' || a.epoch as what from attempt a join job j on j.id = a.job_id
    where not a.fenced and (a.epoch <> j.epoch or j.ended_at is not null)`,
};

/** @returns `law: row` of each row that breaks one; all laws are asked of one moment */
export async function lawsBroken(db: Db): Promise<string[]> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(async (tx) => {
    const broken: string[] = [];
    for (const [law, query] of Object.entries(queries)) {
      const { rows } = await sql.raw<{ what: string }>(query).execute(tx);
      broken.push(...rows.map(({ what }) => `${law}: ${what}`));
    }
    return broken;
  });
}
