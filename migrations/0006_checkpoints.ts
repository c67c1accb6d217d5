/** Checkpoint manifests and the pointer that names the one a restart gets (design.md §3.5). */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table checkpoint_shard (
      job_id text not null,
      epoch bigint not null,
      step bigint not null check (step >= 0),
      rank integer not null,
      path text not null,
      bytes bigint not null check (bytes >= 0),
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      node_id text not null,
      reported_at timestamptz not null default clock_timestamp(),
      primary key (job_id, epoch, step, rank, path)
    );
    create table checkpoint (
      id text primary key,
      job_id text not null references job,
      epoch bigint not null,
      step bigint not null check (step >= 0),
      dir text not null,
      reach text not null check (reach in ('node', 'shared')),
      nodes text[] not null,
      layout jsonb not null,
      data_position jsonb not null,
      shards integer not null,
      bytes bigint not null,
      state text not null default 'COMMITTED' check (state in ('COMMITTED', 'BAD')),
      bad_reason text,
      committed_at timestamptz not null default clock_timestamp(),
      unique (job_id, epoch, step)
    );
    create index checkpoint_job on checkpoint (job_id, step desc, epoch desc);
    create table checkpoint_pointer (
      job_id text primary key references job,
      checkpoint_id text references checkpoint,
      epoch bigint not null,
      step bigint not null,
      moved_at timestamptz not null default clock_timestamp()
    );
    comment on table checkpoint_pointer is 'Moves by compare-and-set on (job, epoch, step); checkpoint_id null means commits exist and none is readable: the job stops, it never starts at step 0.';
  `.execute(db);
}
