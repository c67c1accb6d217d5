/** A fleet of rows: nodes without agents, whose members report what a test says, through the real operations. */
import { sql } from 'kysely';
import { sweepLostJobs, sweepSilentNodes } from '#services/fleet/silence.ts';
import { observeMembers, type Seen } from '#services/jobs/observe.ts';
import { withDefaults, type JobSpec } from '#services/jobs/spec.ts';
import { lockJob } from '#services/jobs/lock.ts';
import { membersOf, type JobRow } from '#services/jobs/store.ts';
import type { Config } from '#services/platform/config.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';
import { commitPlacements } from '#services/scheduler/commit.ts';
import type { PendingJob } from '#services/scheduler/model.ts';

export const nodeIds = ['node-1', 'node-2', 'node-3', 'node-4'] as const;
const devicesPerNode = 8;
const teamId = 'team_00000000000000000000000000';
const holder = 'test-scheduler';

/** What happens to a member, without the key. */
export type Report =
  | { readonly state: 'accepted' | 'ready' }
  | { readonly state: 'exited'; readonly exitCode: number | null; readonly signal?: string }
  | { readonly state: 'gone' }
  | { readonly state: 'refused' }
  | { readonly state: 'proof' };

export async function insertFleet(db: Db): Promise<void> {
  await db.insertInto('node').values(nodeIds.map((id) => ({
    id, boot_id: `boot-${id}`, cpu_milli: 64_000, memory_bytes: 2n ** 38n, address: '127.0.0.1', hostname: id,
    lease_until: sql<Date>`clock_timestamp() + interval '1 hour'`, adopted_incarnation: 1, topology: '{}', labels: '{}',
  }))).execute();
  await db.insertInto('device').values(nodeIds.flatMap((node_id) => Array.from({ length: devicesPerNode }, (_, idx) => ({
    node_id, idx, model: 'virtual-h100', uuid: `${node_id}-${idx}`,
  })))).execute();
  await db.updateTable('leader').set({ holder, token: 1n }).where('name', '=', 'scheduler').execute();
  await sql`update ingest_heartbeat set up_since = clock_timestamp() - interval '1 hour', beat_at = clock_timestamp() + interval '1 hour'`.execute(db);
}

export async function insertJob(db: Db, spec: Partial<JobSpec> = {}): Promise<string> {
  const full = withDefaults({ name: 'digits', argv: ['true'], members: 4, devicesPerMember: 8, checkpoint: { graceSeconds: 1 }, ...spec });
  const id = newId('job');
  await db.insertInto('job').values({
    id, team_id: teamId, name: full.name, spec: JSON.stringify(full), state: 'QUEUED', members: full.members,
    priority: 500, preemptible: full.preemptible, exclusive: full.exclusive,
  }).execute();
  return id;
}

/** Places a waiting gang, a member a node in turn, through the scheduler's own commit. @returns the new epoch */
export async function placeJob(db: Db, jobId: string): Promise<string> {
  const row = (await db.selectFrom('job').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow()) as unknown as JobRow;
  const { members, devicesPerMember, cpuMilli } = row.spec;
  const perNode = Math.ceil(members / nodeIds.length);
  const job: PendingJob = {
    id: jobId, teamId: row.team_id, version: row.version, epoch: row.epoch, priority: row.priority, submittedAtUs: 0, notBeforeMs: 0,
    shape: { members, devicesPerMember, deviceModels: [], cpuMilli, memoryBytes: 0n, nodeSelector: {}, topology: null },
    exclusive: row.exclusive, avoidNodes: [], checkpointId: null, unreadable: false, pins: null, ticket: null, olderEpochNodes: [], shapeKey: 'test',
  };
  const free = await freeDevices(db);
  const placed = Array.from({ length: members }, (_, rank) => {
    const nodeId = nodeIds[Math.floor(rank / perNode)]!;
    return { rank, nodeId, localRank: rank % perNode, devices: free.get(nodeId)?.splice(0, devicesPerMember) ?? [] };
  });
  const { items } = await commitPlacements(db, {
    leadership: { name: 'scheduler', holder, token: 1n }, incarnation: 1, items: [{ job, members: placed }], membersMax: 200,
  });
  const verdict = items.get(jobId)?.verdict;
  if (verdict !== 'placed') throw new Error(`${jobId} was not placed: ${verdict}`);
  return (await db.selectFrom('job').select('epoch').where('id', '=', jobId).executeTakeFirstOrThrow()).epoch.toString();
}

async function freeDevices(db: Db): Promise<Map<string, number[]>> {
  const rows = await db.selectFrom('device').select(['node_id', 'idx']).where('used_milli', '=', 0).orderBy('idx').execute();
  return new Map(Array.from(Map.groupBy(rows, (row) => row.node_id), ([id, devices]) => [id, devices.map((device) => device.idx)]));
}

/** Reports members of the job's current epoch (or of the given one), all of them where no ranks are given. */
export async function report(db: Db, config: Config, jobId: string, what: Report, ranks?: readonly number[], epoch?: bigint): Promise<void> {
  await inTransaction(db, async (tx) => {
    const job = await lockJob(tx, jobId);
    if (!job) throw new Error(`${jobId} has no row`);
    const members = await membersOf(tx, jobId, epoch ?? job.epoch);
    const seen = members.filter((member) => ranks?.includes(member.rank) ?? true)
      .map((member) => toSeen({ job: jobId, epoch: member.epoch.toString(), rank: member.rank }, what));
    await observeMembers(tx, job, epoch ?? job.epoch, 'boot-test', seen, config);
  });
}

function toSeen(key: { job: string; epoch: string; rank: number }, what: Report): Seen {
  switch (what.state) {
    case 'accepted':
    case 'ready': return { ...key, state: what.state, address: '127.0.0.1', port: 29_500, pid: 1, devices: [] };
    case 'exited': return { ...key, state: 'exited', exitCode: what.exitCode, signal: what.signal ?? null };
    case 'gone': return { ...key, state: 'gone' };
    case 'refused': return { ...key, state: 'refused', code: 'spawn_failed', detail: 'the program is missing' };
    case 'proof': return { ...key, state: 'proof', detail: 'a new boot id was seen' };
  }
}

/** The node's lease runs out now; the sweeps find it silent and its jobs LOST. */
export async function silence(db: Db, config: Config, nodeId: string): Promise<void> {
  await db.updateTable('node').set({ lease_until: sql<Date>`clock_timestamp()` }).where('id', '=', nodeId).execute();
  await sweepSilentNodes(db, config);
  await sweepLostJobs(db);
}

/** The silent node is back after all: heard, and its members of ended epochs are reported gone. */
export async function revive(db: Db, config: Config, nodeId: string): Promise<void> {
  await db.updateTable('node').set({ state: 'LIVE', lease_until: sql<Date>`clock_timestamp() + interval '1 hour'` }).where('id', '=', nodeId).execute();
  const members = await db.selectFrom('member').select(['job_id', 'epoch', 'rank']).where('node_id', '=', nodeId).where('gone_at', 'is', null).execute();
  for (const { job_id, epoch, rank } of members) await report(db, config, job_id, { state: 'gone' }, [rank], epoch);
}

/** What obedient agents do: members that are ordered to stop exit by SIGTERM. @returns whether there were any */
export async function obeyStops(db: Db, config: Config, silentNodes: readonly string[] = []): Promise<boolean> {
  const stopped = await db.selectFrom('member').select(['job_id', 'rank', 'epoch', 'node_id'])
    .where('desired', '=', 'stop').where('gone_at', 'is', null).execute();
  const heard = stopped.filter((member) => !silentNodes.includes(member.node_id));
  for (const { job_id, rank, epoch } of heard) await report(db, config, job_id, { state: 'exited', exitCode: null, signal: 'SIGTERM' }, [rank], epoch);
  return heard.length > 0;
}

/** Everything that a job without processes may not leave: held rows, used devices, members that nobody ordered to stop. */
export async function leftovers(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*)::int from allocation where held_by = 'job' and state = 'held') as held,
      (select coalesce(sum(used_milli), 0)::int from device d
        where not exists (select from allocation a where a.node_id = d.node_id and a.device_idx = d.idx)) as used,
      (select count(*)::int from member where gone_at is null and desired = 'run') as running,
      (select count(*)::int from attempt where not fenced) as unfenced`.execute(db);
  return rows[0] ?? {};
}

export const nothing = { held: 0, used: 0, running: 0, unfenced: 0 };
