/** Long actions, whose end a caller may wait for or ask about. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operation (
      id text primary key,
      kind text not null check (kind in ('job.cancel', 'node.drain')),
      target text not null,
      team_id text references team,
      state text not null default 'RUNNING' check (state in ('RUNNING', 'SUCCEEDED', 'FAILED')),
      detail text,
      reason text,
      actor_id text not null,
      request_id text not null,
      created_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz
    );
    create unique index operation_running on operation (kind, target) where state = 'RUNNING';
    create index operation_ended on operation (ended_at) where ended_at is not null;
    create index operation_target on operation (target, id desc);
    comment on column operation.team_id is 'Whose object it is about; null: the cluster''s.';
    comment on table operation is 'Asked for and not finished by the answer: an action that is over when its target says so. One of a kind runs a target.';
  `.execute(db);
}
