/** SQL of heartbeats: the node's row, its live members, sessions, leases, facts. */
import { sql, type Selectable } from 'kysely';
import type { DB } from '../platform/database.ts';
import type { Tx } from '../platform/db.ts';
import type { MemberRow } from '../jobs/store.ts';
import type { DeviceFact, NodeFacts } from './model.ts';

export type NodeRow = Selectable<DB['node']>;

export interface Speaker extends NodeRow {
  readonly credential_version: number | null;
  readonly revoked_at: Date | null;
  readonly rotation_ordered_at: Date | null;
  readonly next_sha256: Buffer | null;
  readonly cluster_id: string;
  readonly incarnation: number;
  readonly frozen_at: Date | null;
  /** the boot that speaks is known to be over (P31) */
  readonly boot_is_over: boolean;
}

/** Who speaks, without a lock: jobs are locked before nodes. */
export async function readSpeaker(tx: Tx, nodeId: string, bootId: string): Promise<Speaker | undefined> {
  const { rows } = await sql<Speaker>`
    select n.*, k.version as credential_version, k.revoked_at, k.rotation_ordered_at, k.next_sha256, c.cluster_id, c.incarnation, c.frozen_at,
      exists (select from node_boot b where b.node_id = n.id and b.boot_id = ${bootId}) as boot_is_over
    from node n left join node_credential k on k.node_id = n.id cross join cluster c
    where n.id = ${nodeId}`.execute(tx);
  return rows[0];
}

/** Issues the next session number: rising, and higher in a newer incarnation (P1). */
export async function issueSession(tx: Tx, nodeId: string, incarnation: number): Promise<bigint> {
  const row = await tx.updateTable('node')
    .set({ session_issued: sql<bigint>`greatest(session_issued + 1, (${incarnation}::bigint << 32) + 1)` })
    .where('id', '=', nodeId).returning('session_issued').executeTakeFirstOrThrow();
  return row.session_issued;
}

export async function liveMembersOf(tx: Tx, nodeId: string): Promise<MemberRow[]> {
  return tx.selectFrom('member').selectAll().where('node_id', '=', nodeId).where('gone_at', 'is', null).orderBy('job_id').orderBy('epoch').orderBy('rank').execute();
}

/** Jobs that this node's silence, or that of others, has made LOST and that still have a member here. */
export async function lostJobsOn(tx: Tx, nodeId: string): Promise<string[]> {
  const rows = await tx.selectFrom('job').innerJoin('member', (join) => join.onRef('member.job_id', '=', 'job.id').onRef('member.epoch', '=', 'job.epoch'))
    .select('job.id').distinct().where('job.state', '=', 'LOST').where('member.node_id', '=', nodeId).where('member.gone_at', 'is', null).execute();
  return rows.map((row) => row.id);
}

/**
 * Notes that the start order of these members goes to this boot (P10); only those whose rank 0 can be reached are
 * ordered.
 *
 * @param jobIds  locked by the caller: members change under their job's lock only (P32)
 */
export async function noteOrders(tx: Tx, nodeId: string, bootId: string, jobIds: readonly string[]): Promise<void> {
  await sql`
    update member m set ordered_boot_id = ${bootId}
    from attempt a
    where m.node_id = ${nodeId} and m.job_id = any(${[...jobIds]}::text[]) and m.gone_at is null and m.desired = 'run' and m.ordered_boot_id is null
      and a.job_id = m.job_id and a.epoch = m.epoch and (m.rank = 0 or a.master_port is not null)`.execute(tx);
}

export interface BeatMark {
  readonly session: bigint;
  readonly sequence: bigint;
  readonly bootId: string;
  readonly incarnation: number;
  readonly strayMembers: number;
  readonly leaseTtlMs: number;
  /** state, boot, strays or facts differ from the row: readers must look again */
  readonly changed: boolean;
}

/**
 * Takes the beat as the node's newest, renews the lease, and says LIVE. What the row said is asked again under its lock:
 * a sweep or a proof may have come since the beat was read.
 *
 * @returns undefined for a beat that is not current (P2), or of a boot that is over (P31)
 */
export async function markBeat(tx: Tx, nodeId: string, mark: BeatMark): Promise<NodeRow | undefined> {
  return tx.updateTable('node')
    .set({
      state: 'LIVE', session: mark.session, sequence: mark.sequence, boot_id: mark.bootId, stray_members: mark.strayMembers,
      session_issued: sql<bigint>`greatest(session_issued, ${mark.session}::bigint)`,
      adopted_incarnation: sql<number>`greatest(adopted_incarnation, ${mark.incarnation}::int)`,
      last_beat_at: sql<Date>`clock_timestamp()`,
      lease_until: sql<Date>`clock_timestamp() + make_interval(secs => ${mark.leaseTtlMs / 1000}::double precision)`,
      version: sql<bigint>`version + case when ${mark.changed}::boolean or state <> 'LIVE' then 1 else 0 end`,
      changed_at: sql<Date>`case when ${mark.changed}::boolean or state <> 'LIVE' then clock_timestamp() else changed_at end`,
    })
    .where('id', '=', nodeId)
    .where(sql<boolean>`(session, sequence) < (${mark.session}::bigint, ${mark.sequence}::bigint)`)
    .where(sql<boolean>`(state <> 'DEAD' or boot_id is distinct from ${mark.bootId})`)
    .returningAll().executeTakeFirst();
}

export async function supersedeBoot(tx: Tx, nodeId: string, bootId: string, proof: string): Promise<void> {
  await tx.insertInto('node_boot').values({ node_id: nodeId, boot_id: bootId, proof }).onConflict((conflict) => conflict.doNothing()).execute();
}

/** Writes what the node is. Devices that are no longer reported stay as failed, since an allocation may sit on them. */
export async function writeFacts(tx: Tx, nodeId: string, facts: NodeFacts): Promise<void> {
  await tx.updateTable('node').set({
    agent_version: facts.agentVersion, hostname: facts.hostname, address: facts.address, cpu_milli: facts.cpuMilli,
    memory_bytes: BigInt(facts.memoryBytes), topology: JSON.stringify(facts.topology), labels: JSON.stringify(facts.labels),
    checkpoint_reach: facts.checkpointReach,
  }).where('id', '=', nodeId).execute();
  const rows = facts.devices.map((device: DeviceFact) => ({
    node_id: nodeId, idx: device.index, model: device.model, uuid: device.uuid, memory_bytes: BigInt(device.memoryBytes), health: device.health,
  }));
  if (rows.length > 0) {
    await tx.insertInto('device').values(rows).onConflict((conflict) => conflict.columns(['node_id', 'idx']).doUpdateSet((excluded) => ({
      model: excluded.ref('excluded.model'), uuid: excluded.ref('excluded.uuid'),
      memory_bytes: excluded.ref('excluded.memory_bytes'), health: excluded.ref('excluded.health'),
    }))).execute();
  }
  await sql`update device set health = 'failed' where node_id = ${nodeId} and idx <> all(${facts.devices.map((device) => device.index)}::int[])`.execute(tx);
}
