/** Allocations, tickets and the leader's token (design.md §3.3, §3.4). */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ticket (
      id text primary key,
      kind text not null check (kind in ('preemption', 'defragmentation', 'recovery')),
      beneficiary_job_id text not null references job,
      state text not null default 'OPEN' check (state in ('OPEN', 'ENDED')),
      deadline_at timestamptz not null,
      created_at timestamptz not null default now(),
      ended_at timestamptz,
      end_reason text
    );
    create unique index ticket_open on ticket (beneficiary_job_id) where state = 'OPEN';

    create table allocation (
      job_id text not null,
      epoch bigint not null,
      rank integer not null,
      device_idx smallint not null check (device_idx >= -1),
      node_id text not null references node,
      milli integer not null default 0 check (milli between 0 and 1000),
      cpu_milli integer not null default 0,
      memory_bytes bigint not null default 0,
      held_by text not null default 'job' check (held_by in ('job', 'ticket', 'reservation')),
      ticket_id text references ticket,
      state text not null default 'held' check (state in ('held', 'fenced')),
      primary key (job_id, epoch, rank, device_idx),
      foreign key (job_id, epoch, rank) references member,
      check ((held_by = 'ticket') = (ticket_id is not null))
    );
    create index allocation_node on allocation (node_id);
    create index allocation_ticket on allocation (ticket_id) where ticket_id is not null;
    comment on table allocation is 'A row a device (device_idx >= 0), and one a member for cpu and memory of the host (device_idx -1). Rows are deleted when they are free; fenced ones block until proof (law 4).';

    create table ticket_row (
      ticket_id text not null references ticket,
      job_id text not null,
      epoch bigint not null,
      rank integer not null,
      primary key (ticket_id, job_id, epoch, rank)
    );
    create index ticket_row_member on ticket_row (job_id, epoch, rank);
    create table ticket_victim (
      ticket_id text not null references ticket,
      job_id text not null references job,
      epoch bigint not null,
      state text not null default 'PLANNED' check (state in ('PLANNED', 'ORDERED', 'GONE', 'WITHDRAWN')),
      primary key (ticket_id, job_id, epoch)
    );

    create table leader (
      name text primary key,
      token bigint not null default 0,
      holder text
    );
    create table leader_lease (
      name text primary key references leader,
      holder text,
      expires_at timestamptz not null default '-infinity'
    );
    insert into leader (name) values ('scheduler'), ('relay'), ('reconciler');
    insert into leader_lease (name) select name from leader;
    comment on table leader is 'Plans take this row FOR SHARE, take-over updates it; the lease stands in a row of its own, so renewals never wait for plans.';
  `.execute(db);
}
