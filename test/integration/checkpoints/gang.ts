/** A gang of rows that has checkpoints: epochs as the scheduler and the workflow leave them, files as an agent reports them. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { commitCheckpoint } from '#services/checkpoints/commit.ts';
import { checkpointDir, type CommitVerdict, type ReportVerdict } from '#services/checkpoints/model.ts';
import { reportShards } from '#services/checkpoints/report-shards.ts';
import type { ShardFact } from '#services/fleet/model.ts';
import { firstEpoch, type JobState, type VacateReason } from '#services/jobs/model.ts';
import { withDefaults } from '#services/jobs/spec.ts';
import type { Config } from '#services/platform/config.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';

export const epoch1 = firstEpoch(1);
export const epoch2 = epoch1 + 1n;

/** Nodes node-0 … node-(members-1), enrolled, one rank each. */
export async function insertNodes(db: Db, count: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, index) => `node-${index}`);
  await db.insertInto('node').values(nodes.map((id) => ({ id, boot_id: `boot-${id}` }))).execute();
  await db.insertInto('node_credential').values(nodes.map((node_id) => ({ node_id, secret_sha256: Buffer.alloc(32) }))).execute();
}

/** A running gang at its first epoch. */
export async function insertGang(db: Db, members: number): Promise<string> {
  const id = newId('job');
  await db.insertInto('job').values({
    id, team_id: 'team_00000000000000000000000000', name: 'digits', spec: JSON.stringify(withDefaults({ name: 'digits', argv: ['true'], members })),
    state: 'RUNNING', epoch: epoch1 - 1n, members, priority: 500, preemptible: false, exclusive: false,
  }).execute();
  await startEpoch(db, id, epoch1);
  return id;
}

export async function startEpoch(db: Db, job: string, epoch: bigint): Promise<void> {
  const { members } = await db.updateTable('job').set({ state: 'RUNNING', vacate_reason: null, epoch }).where('id', '=', job).returning('members').executeTakeFirstOrThrow();
  await db.insertInto('attempt').values({ job_id: job, epoch, members }).execute();
  await db.insertInto('member').values(Array.from({ length: members }, (_, rank) => ({
    job_id: job, epoch, rank, node_id: `node-${rank}`, local_rank: 0, devices: [0], ordered_boot_id: `boot-node-${rank}`,
  }))).execute();
}

export async function setState(db: Db, job: string, state: JobState, vacateReason: VacateReason | null = null): Promise<void> {
  await db.updateTable('job').set({ state, vacate_reason: vacateReason, version: sql<bigint>`version + 1` }).where('id', '=', job).execute();
}

export async function fence(db: Db, job: string, epoch: bigint): Promise<void> {
  await db.updateTable('attempt').set({ fenced: true }).where('job_id', '=', job).where('epoch', '=', epoch).execute();
}

export async function endEpoch(db: Db, job: string, epoch: bigint, state: JobState = 'QUEUED'): Promise<void> {
  await db.updateTable('attempt').set({ fenced: true, ended_at: sql<Date>`clock_timestamp()`, end_state: state }).where('job_id', '=', job).where('epoch', '=', epoch).execute();
  await setState(db, job, state);
}

export const shard = (step: number, rank: number, content = 'good'): ShardFact => ({
  path: `step-${step}/rank-${rank}.bin`, bytes: '1024', sha256: createHash('sha256').update(`${step} ${rank} ${content}`).digest('hex'),
});

export interface At { readonly job: string; readonly epoch: bigint; readonly step: number }

export const reportAs = (db: Db, config: Config, { job, epoch, step }: At, rank: number, files: readonly ShardFact[] = [shard(step, rank)]): Promise<ReportVerdict> =>
  inTransaction(db, (tx) => reportShards(tx, { node: `node-${rank}`, member: { job, epoch: String(epoch), rank }, step: BigInt(step), files }, config));

export const commitAt = (db: Db, config: Config, { job, epoch, step }: At): Promise<CommitVerdict> =>
  inTransaction(db, (tx) => commitCheckpoint(tx, {
    member: { job, epoch: String(epoch), rank: 0 }, step: BigInt(step), reach: 'shared', layout: { ranks: 2 }, dataPosition: { sample: step },
  }, config));

/** All ranks report, rank 0 commits. @returns the checkpoint's id */
export async function publish(db: Db, config: Config, at: At, members: number): Promise<string> {
  for (let rank = 0; rank < members; rank++) await reportAs(db, config, at, rank);
  const verdict = await commitAt(db, config, at);
  if (verdict.kind !== 'committed') throw new Error(JSON.stringify(verdict, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)));
  return verdict.checkpoint;
}

export const pointerOf = (db: Db, job: string) => db.selectFrom('checkpoint_pointer').select(['checkpoint_id', 'epoch', 'step']).where('job_id', '=', job).executeTakeFirst();

export const dirOf = ({ job, epoch }: At): string => checkpointDir(job, String(epoch));

/** Everything that checkpoints of a job have written. */
export async function traces(db: Db, job: string): Promise<unknown> {
  return {
    shards: await db.selectFrom('checkpoint_shard').selectAll().where('job_id', '=', job).orderBy('epoch').orderBy('step').orderBy('rank').orderBy('path').execute(),
    manifests: await db.selectFrom('checkpoint').selectAll().where('job_id', '=', job).orderBy('id').execute(),
    pointer: await db.selectFrom('checkpoint_pointer').selectAll().where('job_id', '=', job).executeTakeFirst(),
    events: await db.selectFrom('outbox').select(['key', 'version', 'kind']).where(sql<boolean>`payload ->> 'job' = ${job}`).orderBy('id').execute(),
    job: await db.selectFrom('job').selectAll().where('id', '=', job).executeTakeFirst(),
  };
}
