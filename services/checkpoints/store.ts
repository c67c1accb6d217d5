/** SQL of checkpoints: shard facts, manifests, the pointer. */
import { sql } from 'kysely';
import type { JobState, VacateReason } from '../jobs/model.ts';
import type { ShardFact } from '../fleet/model.ts';
import type { Db, Tx } from '../platform/db.ts';
import type { Checkpoint, Manifest, Pointer, Shard } from './model.ts';

/** What decides whether an epoch may publish. */
export interface EpochRight {
  readonly teamId: string;
  readonly state: JobState;
  readonly vacateReason: VacateReason | null;
  readonly members: number;
  readonly currentEpoch: bigint;
  readonly fenced: boolean;
  readonly ended: boolean;
}

/**
 * Locks job, then attempt (the global order). `share` lets the reports of a gang run side by side while moves of the
 * job wait for them; a commit takes `update`, so commits of one job are one after the other.
 */
export async function lockEpoch(tx: Tx, jobId: string, epoch: bigint, lock: 'share' | 'update'): Promise<EpochRight | undefined> {
  const locking = sql.raw(lock === 'share' ? 'for share' : 'for update');
  const job = (await sql<{ team_id: string; state: JobState; vacate_reason: VacateReason | null; members: number; epoch: bigint }>`
    select team_id, state, vacate_reason, members, epoch from job where id = ${jobId} ${locking}`.execute(tx)).rows[0];
  if (!job) return undefined;
  const attempt = (await sql<{ fenced: boolean; members: number; ended_at: Date | null }>`
    select fenced, members, ended_at from attempt where job_id = ${jobId} and epoch = ${epoch} for share`.execute(tx)).rows[0];
  if (!attempt) return undefined;
  return {
    teamId: job.team_id, state: job.state, vacateReason: job.vacate_reason, members: attempt.members, currentEpoch: job.epoch,
    fenced: attempt.fenced, ended: attempt.ended_at !== null,
  };
}

/** Locks the job only. @returns its team, or undefined where there is no such job */
export async function lockJobRow(tx: Tx, jobId: string): Promise<string | undefined> {
  return (await tx.selectFrom('job').select('team_id').where('id', '=', jobId).forUpdate().executeTakeFirst())?.team_id;
}

/** A sentence for people beside the job; its version stays, as no state changed. */
export async function noteOnJob(tx: Tx, jobId: string, detail: string): Promise<void> {
  await tx.updateTable('job').set({ detail }).where('id', '=', jobId).execute();
}

export interface ShardOwner { readonly jobId: string; readonly epoch: bigint; readonly step: bigint; readonly rank: number; readonly nodeId: string }

export async function shardsOfRank(tx: Tx, of: ShardOwner): Promise<ShardFact[]> {
  const rows = await tx.selectFrom('checkpoint_shard').select(['path', 'bytes', 'sha256'])
    .where('job_id', '=', of.jobId).where('epoch', '=', of.epoch).where('step', '=', of.step).where('rank', '=', of.rank).execute();
  return rows.map(toFact);
}

/** Another step or rank of this epoch that reported one of `paths`. */
export async function otherOwnerOf(tx: Tx, of: ShardOwner, paths: readonly string[]): Promise<{ step: bigint; rank: number; path: string } | undefined> {
  return tx.selectFrom('checkpoint_shard').select(['step', 'rank', 'path'])
    .where('job_id', '=', of.jobId).where('epoch', '=', of.epoch).where('path', 'in', paths)
    .where((row) => row.or([row('rank', '!=', of.rank), row('step', '!=', of.step)]))
    .limit(1).executeTakeFirst();
}

export async function insertShards(tx: Tx, of: ShardOwner, files: readonly ShardFact[]): Promise<void> {
  await tx.insertInto('checkpoint_shard').values(files.map((file) => ({
    job_id: of.jobId, epoch: of.epoch, step: of.step, rank: of.rank, node_id: of.nodeId,
    path: file.path, bytes: BigInt(file.bytes), sha256: file.sha256,
  }))).execute();
}

/** Steps that a rank has reported in an epoch and that no manifest names. */
export async function countUncommittedSteps(tx: Tx, of: ShardOwner): Promise<number> {
  const row = (await sql<{ steps: bigint }>`
    select count(distinct s.step) as steps from checkpoint_shard s
     where s.job_id = ${of.jobId} and s.epoch = ${of.epoch} and s.rank = ${of.rank} and s.step <> ${of.step}
       and not exists (select from checkpoint c where c.job_id = s.job_id and c.epoch = s.epoch and c.step = s.step)`.execute(tx)).rows[0];
  return Number(row?.steps ?? 0n);
}

export interface GangShards { readonly ranks: readonly number[]; readonly nodes: readonly string[]; readonly shards: number; readonly bytes: bigint }

export async function sumShards(tx: Tx, jobId: string, epoch: bigint, step: bigint): Promise<GangShards> {
  const row = (await sql<{ ranks: number[] | null; nodes: string[] | null; shards: number; bytes: bigint }>`
    select array_agg(distinct rank) as ranks, array_agg(distinct node_id) as nodes, count(*)::int as shards, coalesce(sum(bytes), 0)::bigint as bytes
      from checkpoint_shard where job_id = ${jobId} and epoch = ${epoch} and step = ${step}`.execute(tx)).rows[0];
  return { ranks: row?.ranks ?? [], nodes: row?.nodes ?? [], shards: row?.shards ?? 0, bytes: row?.bytes ?? 0n };
}

export async function findCommit(tx: Tx, jobId: string, epoch: bigint, step: bigint): Promise<Checkpoint | undefined> {
  const row = await tx.selectFrom('checkpoint').selectAll()
    .where('job_id', '=', jobId).where('epoch', '=', epoch).where('step', '=', step).executeTakeFirst();
  return row && toCheckpoint(row);
}

export async function findCheckpoint(db: Db | Tx, jobId: string, checkpointId: string): Promise<Checkpoint | undefined> {
  const row = await db.selectFrom('checkpoint').selectAll().where('id', '=', checkpointId).where('job_id', '=', jobId).executeTakeFirst();
  return row && toCheckpoint(row);
}

/** Newest commit whose shards are still known: what retention has dropped can't be verified. */
export async function newestCommitted(tx: Tx, jobId: string): Promise<Checkpoint | undefined> {
  const row = await tx.selectFrom('checkpoint').selectAll()
    .where('job_id', '=', jobId).where('state', '=', 'COMMITTED')
    .where((row) => row.exists(row.selectFrom('checkpoint_shard').select('path')
      .whereRef('checkpoint_shard.job_id', '=', 'checkpoint.job_id').whereRef('checkpoint_shard.epoch', '=', 'checkpoint.epoch')
      .whereRef('checkpoint_shard.step', '=', 'checkpoint.step')))
    .orderBy('epoch', 'desc').orderBy('step', 'desc').limit(1).executeTakeFirst();
  return row && toCheckpoint(row);
}

export async function insertManifest(tx: Tx, manifest: Manifest): Promise<void> {
  await tx.insertInto('checkpoint').values({
    id: manifest.id, job_id: manifest.jobId, epoch: manifest.epoch, step: manifest.step, dir: manifest.dir, reach: manifest.reach,
    nodes: [...manifest.nodes], shards: manifest.shards, bytes: manifest.bytes,
    layout: JSON.stringify(manifest.layout), data_position: JSON.stringify(manifest.dataPosition),
  }).execute();
}

export async function markBadRow(tx: Tx, checkpointId: string, reason: string): Promise<boolean> {
  const row = await tx.updateTable('checkpoint').set({ state: 'BAD', bad_reason: reason })
    .where('id', '=', checkpointId).where('state', '=', 'COMMITTED').returning('id').executeTakeFirst();
  return row !== undefined;
}

/** The pointer, or undefined where nothing was ever committed. */
export async function readPointer(db: Db | Tx, jobId: string): Promise<Pointer | undefined> {
  const row = await db.selectFrom('checkpoint_pointer').select(['checkpoint_id', 'epoch', 'step']).where('job_id', '=', jobId).executeTakeFirst();
  return row && { checkpointId: row.checkpoint_id, epoch: row.epoch, step: row.step };
}

/**
 * Moves the pointer by compare-and-set on where it stood; undefined: it did not exist.
 *
 * @returns whether it moved
 */
export async function movePointer(tx: Tx, jobId: string, from: Pointer | undefined, to: Pointer): Promise<boolean> {
  const values = { checkpoint_id: to.checkpointId, epoch: to.epoch, step: to.step, moved_at: sql<Date>`clock_timestamp()` };
  const row = from === undefined
    ? await tx.insertInto('checkpoint_pointer').values({ job_id: jobId, ...values }).onConflict((on) => on.doNothing()).returning('job_id').executeTakeFirst()
    : await tx.updateTable('checkpoint_pointer').set(values)
      .where('job_id', '=', jobId).where('epoch', '=', from.epoch).where('step', '=', from.step)
      .where('checkpoint_id', 'is not distinct from', from.checkpointId)
      .returning('job_id').executeTakeFirst();
  return row !== undefined;
}

/** Shards that a rank of a gang of `members` verifies: those of the ranks that it takes over. */
export async function shardsToVerify(tx: Tx, checkpoint: Checkpoint, rank: number, members: number): Promise<ShardFact[]> {
  const rows = await tx.selectFrom('checkpoint_shard').select(['path', 'bytes', 'sha256'])
    .where('job_id', '=', checkpoint.jobId).where('epoch', '=', checkpoint.epoch).where('step', '=', checkpoint.step)
    .where(sql<boolean>`rank % ${members}::int = ${rank}::int`).orderBy('rank').orderBy('path').execute();
  return rows.map(toFact);
}

export async function allShards(db: Db, checkpoint: Checkpoint, max: number): Promise<Shard[]> {
  const rows = await db.selectFrom('checkpoint_shard').select(['rank', 'path', 'bytes', 'sha256', 'node_id'])
    .where('job_id', '=', checkpoint.jobId).where('epoch', '=', checkpoint.epoch).where('step', '=', checkpoint.step)
    .orderBy('rank').orderBy('path').limit(max).execute();
  return rows.map((row) => ({ ...toFact(row), rank: row.rank, node: row.node_id }));
}

/** Newest first. `before`: the last of the page before. */
export async function listManifests(db: Db, jobId: string, before: { epoch: bigint; step: bigint } | undefined, limit: number): Promise<Checkpoint[]> {
  let query = db.selectFrom('checkpoint').selectAll().where('job_id', '=', jobId);
  if (before) query = query.where((row) => row(row.refTuple('epoch', 'step'), '<', row.tuple(before.epoch, before.step)));
  return (await query.orderBy('epoch', 'desc').orderBy('step', 'desc').limit(limit).execute()).map(toCheckpoint);
}

const toFact = (row: { path: string; bytes: bigint; sha256: string }): ShardFact => ({ path: row.path, bytes: row.bytes.toString(), sha256: row.sha256 });

interface CheckpointRow {
  id: string; job_id: string; epoch: bigint; step: bigint; dir: string; reach: string; nodes: string[]; layout: unknown; data_position: unknown;
  shards: number; bytes: bigint; state: string; bad_reason: string | null; committed_at: Date;
}

function toCheckpoint(row: CheckpointRow): Checkpoint {
  return {
    id: row.id, jobId: row.job_id, epoch: row.epoch, step: row.step, dir: row.dir, reach: row.reach as Checkpoint['reach'], nodes: row.nodes,
    layout: row.layout as Checkpoint['layout'], dataPosition: row.data_position as Checkpoint['dataPosition'],
    shards: row.shards, bytes: row.bytes, state: row.state as Checkpoint['state'], badReason: row.bad_reason, committedAt: row.committed_at,
  };
}
