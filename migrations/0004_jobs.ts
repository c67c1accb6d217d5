/** Jobs, attempts (one an epoch) and members (design.md §3, §4). */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table job (
      id text primary key,
      team_id text not null references team,
      name text not null,
      spec jsonb not null,
      state text not null check (state in ('SUBMITTED', 'QUEUED', 'RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING',
        'SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED')),
      version bigint not null default 1,
      epoch bigint not null default 0,
      members integer not null check (members between 1 and 4096),
      priority integer not null,
      preemptible boolean not null,
      exclusive boolean not null,
      submitted_at timestamptz not null default clock_timestamp(),
      changed_at timestamptz not null default clock_timestamp(),
      state_since timestamptz not null default clock_timestamp(),
      not_before timestamptz,
      queue_deadline_at timestamptz,
      vacate_reason text,
      vacate_deadline_at timestamptz,
      detail text,
      user_failures integer not null default 0,
      infrastructure_failures integer not null default 0,
      preemptions integer not null default 0,
      unsupervised_attempts integer not null default 0,
      avoid_nodes text[] not null default '{}',
      waiting_reason text,
      waiting_detail text,
      waiting_since timestamptz,
      run_ms bigint not null default 0,
      ended_at timestamptz,
      retry_of text references job,
      request_id text
    );
    create index job_list on job (submitted_at desc, id desc);
    create index job_team_list on job (team_id, submitted_at desc, id desc);
    create index job_state on job (state, priority desc, submitted_at, id) where state not in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED');
    create index job_labels on job using gin ((spec -> 'labels'));
    comment on column job.run_ms is 'Time that ended attempts spent RUNNING; the time limit counts it.';
    comment on column job.detail is 'Last reason in a sentence, for people.';

    create table attempt (
      job_id text not null references job,
      epoch bigint not null,
      members integer not null,
      accepted integer not null default 0,
      ready integer not null default 0,
      gone integer not null default 0,
      succeeded integer not null default 0,
      user_failed integer not null default 0,
      refused integer not null default 0,
      fenced boolean not null default false,
      supervised_at timestamptz,
      reserved_at timestamptz not null default clock_timestamp(),
      starting_at timestamptz,
      running_at timestamptz,
      ended_at timestamptz,
      end_state text,
      end_reason text,
      master_address text,
      master_port integer,
      resume_checkpoint text,
      primary key (job_id, epoch),
      check (accepted between 0 and members and ready between 0 and members and gone between 0 and members)
    );
    comment on column attempt.fenced is 'Nothing of this epoch can be published any more (P18, law 5).';

    create table member (
      job_id text not null,
      epoch bigint not null,
      rank integer not null,
      node_id text not null references node,
      local_rank integer not null,
      devices smallint[] not null,
      desired text not null default 'run' check (desired in ('run', 'stop')),
      stop_reason text,
      stop_grace_ms integer,
      ordered_boot_id text,
      boot_id text,
      accepted_at timestamptz,
      ready_at timestamptz,
      gone_at timestamptz,
      gone_kind text check (gone_kind in ('exited', 'gone', 'refused', 'proof')),
      exit_code integer,
      exit_signal text,
      refusal_code text,
      detail text,
      pid integer,
      progress_step bigint,
      progress_total bigint,
      progress_message text,
      primary key (job_id, epoch, rank),
      foreign key (job_id, epoch) references attempt
    );
    create index member_live on member (node_id) where gone_at is null;
  `.execute(db);
}
