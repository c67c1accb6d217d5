/** SQL that reads what the model is built from, and that writes why jobs wait. */
import { sql } from 'kysely';
import type { FullJobSpec } from '../jobs/spec.ts';
import type { TopologyLevel } from '../jobs/model.ts';
import type { Db } from '../platform/db.ts';
import { sharesOfTickets } from './commit-store.ts';
import { shapeKeyOf, wholeDeviceMilli, type FleetNode, type PendingJob, type Pins, type Reason, type Shape } from './model.ts';

/** One page of a scan by id: small enough to stay far below a second. */
const pageRows = 2_000;

/** @param ids  only these; a node that is gone is absent from the answer */
export async function readNodes(db: Db, ids?: readonly string[]): Promise<FleetNode[]> {
  const nodes: FleetNode[] = [];
  for (let after = '', more = true; more;) {
    const rows = await db
      .selectFrom('node')
      .select(['id', 'version', 'schedulable', 'state', 'topology', 'labels', 'cpu_milli', 'cpu_used_milli', 'memory_bytes', 'memory_used_bytes'])
      .where('id', '>', after)
      .$if(ids !== undefined, (query) => query.where('id', '=', sql<string>`any(${ids}::text[])`))
      .orderBy('id')
      .limit(pageRows)
      .execute();
    const devices = Map.groupBy(await readDevices(db, rows.map((row) => row.id)), (device) => device.node_id);
    for (const row of rows) {
      nodes.push({
        id: row.id,
        version: row.version,
        schedulable: row.schedulable,
        heard: row.state === 'LIVE',
        topology: row.topology as Partial<Record<TopologyLevel, string>>,
        labels: row.labels as Record<string, string>,
        cpuMilli: row.cpu_milli,
        cpuFreeMilli: row.cpu_milli - row.cpu_used_milli,
        memoryBytes: row.memory_bytes,
        memoryFreeBytes: row.memory_bytes - row.memory_used_bytes,
        devices: (devices.get(row.id) ?? []).map((device) => ({
          index: device.idx, model: device.model, freeMilli: wholeDeviceMilli - device.used_milli, healthy: device.health === 'ok',
        })),
      });
    }
    more = rows.length === pageRows;
    after = rows.at(-1)?.id ?? after;
  }
  return nodes;
}

async function readDevices(db: Db, nodeIds: readonly string[]) {
  return db
    .selectFrom('device')
    .select(['node_id', 'idx', 'model', 'health', 'used_milli'])
    .where('node_id', '=', sql<string>`any(${nodeIds}::text[])`)
    .orderBy('node_id')
    .orderBy('idx')
    .execute();
}

/** Versions of all nodes: a node whose version the model doesn't have was missed. */
export async function readNodeVersions(db: Db): Promise<Map<string, bigint>> {
  const rows = await db.selectFrom('node').select(['id', 'version']).execute();
  return new Map(rows.map((row) => [row.id, row.version]));
}

export interface ReadPending {
  readonly job: PendingJob;
  /** what the row says already */
  readonly written: Reason | null;
}

/**
 * Jobs that wait in QUEUED. @param ids  only these; one that doesn't wait is absent from the answer
 *
 * The ids come first and the rows by them: asked for page after page in order of id, the planner sorted all the rest for
 * each page, which took 20 s of a take-over at 100,000 jobs instead of two.
 */
export async function readPending(db: Db, ids?: readonly string[]): Promise<ReadPending[]> {
  const found: ReadPending[] = [];
  const wanted = ids ?? await readQueuedIds(db);
  for (let at = 0; at < wanted.length; at += pageRows) {
    const page = wanted.slice(at, at + pageRows);
    const rows = await db
      .selectFrom('job')
      .leftJoin('checkpoint_pointer as pointer', 'pointer.job_id', 'job.id')
      .leftJoin('ticket', (join) => join.onRef('ticket.beneficiary_job_id', '=', 'job.id').on('ticket.state', '=', 'OPEN'))
      .select([
        'job.id', 'job.team_id', 'job.version', 'job.epoch', 'job.priority', 'job.spec', 'job.exclusive', 'job.avoid_nodes', 'job.not_before',
        'job.waiting_reason', 'job.waiting_detail', 'pointer.checkpoint_id', 'pointer.job_id as pointer_of', 'ticket.id as ticket_id',
      ])
      .select(sql<bigint>`(extract(epoch from job.submitted_at) * 1000000)::bigint`.as('submitted_us'))
      .where('job.state', '=', 'QUEUED')
      .where('job.id', '=', sql<string>`any(${page}::text[])`)
      .orderBy('job.id')
      .execute();
    const pins = await readPins(db, rows.flatMap((row) => row.checkpoint_id ?? []));
    const tickets = await readShares(db, rows.flatMap((row) => row.ticket_id ?? []));
    const older = await readOlderEpochs(db, rows.filter((row) => row.exclusive && row.epoch > 0n).map((row) => row.id));
    for (const row of rows) {
      const job = {
        id: row.id, teamId: row.team_id, version: row.version, epoch: row.epoch, priority: row.priority,
        submittedAtUs: Number(row.submitted_us), notBeforeMs: row.not_before?.getTime() ?? 0,
        shape: shapeOf(row.spec as unknown as FullJobSpec), exclusive: row.exclusive, avoidNodes: row.avoid_nodes,
        checkpointId: row.checkpoint_id, unreadable: row.pointer_of !== null && row.checkpoint_id === null,
        pins: (row.checkpoint_id !== null && pins.get(row.checkpoint_id)) || null,
        ticket: row.ticket_id === null ? null : { id: row.ticket_id, shares: tickets.get(row.ticket_id) ?? [] },
        olderEpochNodes: older.get(row.id) ?? [],
      };
      found.push({
        job: { ...job, shapeKey: shapeKeyOf(job) },
        written: row.waiting_reason === null ? null : { code: row.waiting_reason as Reason['code'], detail: row.waiting_detail ?? '' },
      });
    }
  }
  return found;
}

async function readQueuedIds(db: Db): Promise<string[]> {
  return (await db.selectFrom('job').select('id').where('state', '=', 'QUEUED').orderBy('id').execute()).map((row) => row.id);
}

export function shapeOf(spec: FullJobSpec): Shape {
  return {
    members: spec.members,
    devicesPerMember: spec.devicesPerMember,
    deviceModels: spec.deviceModels,
    cpuMilli: spec.cpuMilli,
    memoryBytes: BigInt(spec.memoryBytes),
    nodeSelector: spec.nodeSelector,
    topology: spec.topology ?? null,
  };
}

/** Of checkpoints that other nodes can't reach: where their parts lie, and which rank wrote which. */
async function readPins(db: Db, checkpointIds: readonly string[]): Promise<Map<string, Pins>> {
  if (checkpointIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('checkpoint as c')
    .leftJoin('checkpoint_shard as s', (join) => join.onRef('s.job_id', '=', 'c.job_id').onRef('s.epoch', '=', 'c.epoch').onRef('s.step', '=', 'c.step'))
    .select(['c.id', 'c.nodes', 's.rank', 's.node_id'])
    .distinct()
    .where('c.id', '=', sql<string>`any(${checkpointIds}::text[])`)
    .where('c.reach', '=', 'node')
    .execute();
  const pins = new Map<string, { nodes: string[]; ranks: Record<number, string> }>();
  for (const row of rows) {
    const pin = pins.get(row.id) ?? { nodes: [...row.nodes], ranks: {} };
    if (row.rank !== null && row.node_id !== null) {
      pin.ranks[row.rank] = row.node_id;
      if (!pin.nodes.includes(row.node_id)) pin.nodes.push(row.node_id);
    }
    pins.set(row.id, pin);
  }
  return pins;
}

async function readShares(db: Db, ticketIds: readonly string[]): ReturnType<typeof sharesOfTickets> {
  return ticketIds.length === 0 ? new Map() : sharesOfTickets(db, ticketIds);
}

async function readOlderEpochs(db: Db, jobIds: readonly string[]): Promise<Map<string, string[]>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('allocation')
    .select(['job_id', 'node_id'])
    .distinct()
    .where('job_id', '=', sql<string>`any(${jobIds}::text[])`)
    .where('held_by', '=', 'job')
    .execute();
  return new Map(Array.from(Map.groupBy(rows, (row) => row.job_id), ([id, held]) => [id, held.map((row) => row.node_id)]));
}

/** Starts that no workflow has looked at yet (the workflow's first read sets them to 0), over the jobs that are active. */
export async function readUnsupervisedStarts(db: Db): Promise<number> {
  const { rows } = await sql<{ starts: bigint }>`
    select coalesce(sum(unsupervised_attempts), 0)::bigint as starts from job
    where state in ('RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING') and unsupervised_attempts > 0`.execute(db);
  return Number(rows[0]?.starts ?? 0n);
}

/** Milliseconds to add to this process's clock to get the database's. */
export async function readClockOffsetMs(db: Db): Promise<number> {
  const asked = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]!.now.getTime() - (asked + Date.now()) / 2;
}

export async function readCluster(db: Db): Promise<{ readonly incarnation: number; readonly frozen: boolean }> {
  const row = await db.selectFrom('cluster').select(['incarnation', 'frozen_at']).executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, frozen: row.frozen_at !== null };
}

export interface WaitingRow {
  readonly jobId: string;
  readonly reason: Reason;
}

/**
 * Why jobs wait, for whoever asks. Not a state change: no version, no event. A job that someone has locked is skipped:
 * it is changing, and is told again if it still waits afterwards.
 *
 * @returns the ids written
 */
export async function writeWaiting(db: Db, rows: readonly WaitingRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  const written = await sql<{ id: string }>`
    with r as (
      select * from unnest(${rows.map((row) => row.jobId)}::text[], ${rows.map((row) => row.reason.code)}::text[],
        ${rows.map((row) => row.reason.detail)}::text[]) as r (id, code, detail)),
    free as (
      select job.id from job where job.id = any(${rows.map((row) => row.jobId)}::text[]) and state = 'QUEUED'
      order by job.id for no key update skip locked)
    update job set waiting_reason = r.code, waiting_detail = r.detail,
      waiting_since = case when job.waiting_reason is distinct from r.code then clock_timestamp() else job.waiting_since end
    from r join free using (id)
    where job.id = r.id
    returning job.id`.execute(db);
  return written.rows.map((row) => row.id);
}
