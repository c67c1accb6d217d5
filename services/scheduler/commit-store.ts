/** SQL of the placement transaction: locks in the global order, then one statement a table for the whole batch. */
import { sql } from 'kysely';
import type { Reservation } from '../jobs/reserve.ts';
import type { Tx } from '../platform/db.ts';
import type { LockedJob, LockedNode, LockedRows, NodeChange } from './admit.ts';
import { wholeDeviceMilli, type Placement, type Share } from './model.ts';

export type JobRow = Reservation['job'];

export interface LockedBatch extends LockedRows {
  readonly rows: ReadonlyMap<string, JobRow>;
}

/** FOR SHARE: a freeze or a restore waits for the plans in flight (P35). */
export async function lockCluster(tx: Tx): Promise<{ readonly incarnation: number; readonly frozen: boolean }> {
  const row = await tx.selectFrom('cluster').select(['incarnation', 'frozen_at']).forShare().executeTakeFirstOrThrow();
  return { incarnation: row.incarnation, frozen: row.frozen_at !== null };
}

/** Jobs by id, their tickets, then nodes by id, then devices: the global order (design.md §3.4). */
export async function lockBatch(tx: Tx, items: readonly Placement[]): Promise<LockedBatch> {
  const jobIds = items.map((item) => item.job.id);
  const rows = await lockJobs(tx, jobIds);
  const pointers = await tx.selectFrom('checkpoint_pointer').select(['job_id', 'checkpoint_id']).where('job_id', 'in', jobIds).execute();
  const checkpointOf = new Map(pointers.map((pointer) => [pointer.job_id, pointer.checkpoint_id]));
  const tickets = await lockTickets(tx, jobIds);
  const heard = await jobsHeldByHeardNodes(tx, items.filter((item) => item.job.exclusive).map((item) => item.job.id));

  const nodeIds = new Set(items.flatMap((item) => item.members.map((member) => member.nodeId)));
  for (const ticket of tickets.values()) for (const share of ticket.shares) nodeIds.add(share.nodeId);
  const nodes = await lockNodes(tx, [...nodeIds]);

  const jobs = new Map<string, LockedJob>();
  for (const [id, { row, due }] of rows) {
    jobs.set(id, {
      state: row.state, version: row.version, due, checkpointId: checkpointOf.get(id), ticket: tickets.get(id), olderEpochHeard: heard.has(id),
    });
  }
  return { jobs, nodes, rows: new Map(Array.from(rows, ([id, { row }]) => [id, row])) };
}

async function lockJobs(tx: Tx, jobIds: readonly string[]): Promise<Map<string, { readonly row: JobRow; readonly due: boolean }>> {
  const found = await tx
    .selectFrom('job')
    .selectAll()
    .select(sql<boolean>`not_before is null or not_before <= clock_timestamp()`.as('due'))
    .where('id', 'in', jobIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(found.map(({ due, ...row }) => [row.id, { row: row as unknown as JobRow, due }]));
}

async function lockTickets(tx: Tx, jobIds: readonly string[]): Promise<Map<string, { readonly id: string; readonly shares: readonly Share[] }>> {
  const open = await tx
    .selectFrom('ticket')
    .select(['id', 'beneficiary_job_id'])
    .where('beneficiary_job_id', 'in', jobIds)
    .where('state', '=', 'OPEN')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  if (open.length === 0) return new Map();
  const shares = await sharesOfTickets(tx, open.map((ticket) => ticket.id));
  return new Map(open.map((ticket) => [ticket.beneficiary_job_id, { id: ticket.id, shares: shares.get(ticket.id) ?? [] }]));
}

/** What each ticket keeps, an allocation row a share. */
export async function sharesOfTickets(tx: Pick<Tx, 'selectFrom'>, ticketIds: readonly string[]): Promise<Map<string, Share[]>> {
  const rows = await tx
    .selectFrom('allocation')
    .select(['ticket_id', 'node_id', 'device_idx', 'milli', 'cpu_milli', 'memory_bytes'])
    .where('ticket_id', 'in', ticketIds)
    .orderBy('node_id')
    .orderBy('device_idx')
    .execute();
  const shares = new Map<string, Share[]>();
  for (const row of rows) {
    const list = shares.get(row.ticket_id!) ?? [];
    list.push({
      nodeId: row.node_id, cpuMilli: row.cpu_milli, memoryBytes: row.memory_bytes,
      devices: row.device_idx >= 0 ? [{ index: row.device_idx, milli: row.milli }] : [],
    });
    shares.set(row.ticket_id!, list);
  }
  return shares;
}

async function jobsHeldByHeardNodes(tx: Tx, jobIds: readonly string[]): Promise<Set<string>> {
  if (jobIds.length === 0) return new Set();
  const rows = await tx
    .selectFrom('allocation')
    .innerJoin('node', 'node.id', 'allocation.node_id')
    .select('allocation.job_id')
    .distinct()
    .where('allocation.job_id', 'in', jobIds)
    .where('allocation.held_by', '=', 'job')
    .where('node.state', '=', 'LIVE')
    .execute();
  return new Set(rows.map((row) => row.job_id));
}

async function lockNodes(tx: Tx, nodeIds: readonly string[]): Promise<Map<string, LockedNode>> {
  const nodes = await tx
    .selectFrom('node')
    .select(['id', 'schedulable', 'cpu_milli', 'cpu_used_milli', 'memory_bytes', 'memory_used_bytes'])
    .where('id', 'in', nodeIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const devices = await tx
    .selectFrom('device')
    .select(['node_id', 'idx', 'health', 'used_milli'])
    .where('node_id', 'in', nodeIds)
    .orderBy('node_id')
    .orderBy('idx')
    .forNoKeyUpdate()
    .execute();
  const byNode = Map.groupBy(devices, (device) => device.node_id);
  return new Map(nodes.map((node) => [node.id, {
    schedulable: node.schedulable,
    cpuFreeMilli: node.cpu_milli - node.cpu_used_milli,
    memoryFreeBytes: node.memory_bytes - node.memory_used_bytes,
    devices: new Map((byNode.get(node.id) ?? []).map((device) => [
      device.idx, { healthy: device.health === 'ok', freeMilli: wholeDeviceMilli - device.used_milli },
    ])),
  }]));
}

/** The rows that a ticket kept are the beneficiary's to use now; what it doesn't use is free, and what was only planned is withdrawn (P21). */
export async function endTickets(tx: Tx, ticketIds: readonly string[]): Promise<void> {
  if (ticketIds.length === 0) return;
  await tx.deleteFrom('allocation').where('ticket_id', 'in', ticketIds).execute();
  await tx
    .updateTable('ticket')
    .set({ state: 'ENDED', ended_at: sql<Date>`clock_timestamp()`, end_reason: 'placed' })
    .where('id', 'in', ticketIds)
    .execute();
  await tx.updateTable('ticket_victim').set({ state: 'WITHDRAWN' }).where('ticket_id', 'in', ticketIds).where('state', '=', 'PLANNED').execute();
}

/** @returns the nodes' new versions; undefined, when a row would leave its bounds: nothing may be committed then */
export async function changeNodes(tx: Tx, changes: ReadonlyMap<string, NodeChange>): Promise<Map<string, bigint> | undefined> {
  const ids = [...changes.keys()];
  const all = [...changes.values()];
  const nodes = await sql<{ id: string; version: bigint }>`
    update node set cpu_used_milli = cpu_used_milli + c.cpu, memory_used_bytes = memory_used_bytes + c.memory,
      generation = generation + case when c.has_members then 1 else 0 end, version = version + 1, changed_at = clock_timestamp()
    from unnest(${ids}::text[], ${all.map((c) => c.cpuMilli)}::int[], ${all.map((c) => String(c.memoryBytes))}::bigint[],
      ${all.map((c) => c.hasMembers)}::boolean[]) as c (id, cpu, memory, has_members)
    where node.id = c.id and (not c.has_members or (schedulable
      and cpu_used_milli + c.cpu <= cpu_milli and memory_used_bytes + c.memory <= memory_bytes))
    returning node.id, node.version`.execute(tx);
  if (nodes.rows.length !== ids.length || !(await changeDevices(tx, changes))) return undefined;
  return new Map(nodes.rows.map((node) => [node.id, node.version]));
}

async function changeDevices(tx: Tx, changes: ReadonlyMap<string, NodeChange>): Promise<boolean> {
  const rows = Array.from(changes, ([id, change]) => Array.from(change.deviceMilli, ([index, milli]) => ({ id, index, milli }))).flat();
  if (rows.length === 0) return true;
  const devices = await sql`
    update device set used_milli = used_milli + c.milli
    from unnest(${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.index)}::smallint[], ${rows.map((row) => row.milli)}::int[]) as c (id, idx, milli)
    where device.node_id = c.id and device.idx = c.idx and used_milli + c.milli between 0 and 1000`.execute(tx);
  return Number(devices.numAffectedRows ?? 0n) === rows.length;
}

export interface NewAttempt {
  readonly placement: Placement;
  readonly epoch: bigint;
}

/** Attempts, members (desired: run) and allocations: a row a device, and one a member for the host's cpu and memory. */
export async function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  const heads = attempts.map(({ placement, epoch }) => ({
    job_id: placement.job.id, epoch: String(epoch), members: placement.members.length, resume_checkpoint: placement.job.checkpointId,
  }));
  await sql`
    insert into attempt (job_id, epoch, members, resume_checkpoint)
    select job_id, epoch, members, resume_checkpoint
    from json_to_recordset(${JSON.stringify(heads)}) as x (job_id text, epoch bigint, members int, resume_checkpoint text)`.execute(tx);

  const members = attempts.flatMap(({ placement, epoch }) => placement.members.map((member) => ({
    job_id: placement.job.id, epoch: String(epoch), rank: member.rank, node_id: member.nodeId, local_rank: member.localRank, devices: member.devices,
    cpu_milli: placement.job.shape.cpuMilli, memory_bytes: String(placement.job.shape.memoryBytes),
  })));
  const json = JSON.stringify(members);
  await sql`
    insert into member (job_id, epoch, rank, node_id, local_rank, devices)
    select job_id, epoch, rank, node_id, local_rank, devices
    from json_to_recordset(${json}) as x (job_id text, epoch bigint, rank int, node_id text, local_rank int, devices smallint[])`.execute(tx);
  await sql`
    insert into allocation (job_id, epoch, rank, device_idx, node_id, milli, cpu_milli, memory_bytes)
    select job_id, epoch, rank, unnest(devices || '{-1}'::smallint[]), node_id,
      unnest(array_fill(1000, array[cardinality(devices)]) || 0),
      unnest(array_fill(0, array[cardinality(devices)]) || cpu_milli),
      unnest(array_fill(0::bigint, array[cardinality(devices)]) || memory_bytes)
    from json_to_recordset(${json}) as x (job_id text, epoch bigint, rank int, node_id text, devices smallint[], cpu_milli int, memory_bytes bigint)`.execute(tx);
}
