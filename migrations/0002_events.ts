/** Outbox, its sequence, reader cursors, inbox and dead letters (design.md §3.1). */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outbox (
      id bigint generated always as identity,
      pos bigint,
      key text not null,
      version bigint not null,
      kind text not null,
      payload jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (id, created_at)
    ) partition by range (created_at);
    create index outbox_unnumbered on outbox (id) where pos is null;
    create index outbox_pos on outbox (pos) where pos is not null;
    create index outbox_key on outbox (key, pos);
    create table outbox_default partition of outbox default;
    comment on table outbox is 'Events: dirty keys with a version. pos is the commit-safe cursor, given by whoever sequences; daily partitions are dropped after their retention.';

    create table event_sequence (
      id smallint primary key default 1 check (id = 1),
      last_pos bigint not null default 0,
      kept_from_pos bigint not null default 1
    );
    insert into event_sequence default values;

    create table event_cursor (
      reader text primary key,
      pos bigint not null default 0,
      moved_at timestamptz not null default now()
    );

    create table inbox (
      consumer text not null,
      pos bigint not null,
      received_at timestamptz not null default now(),
      primary key (consumer, pos)
    );
    create index inbox_received on inbox (received_at);
    create table inbox_version (
      consumer text not null,
      key text not null,
      version bigint not null,
      seen_at timestamptz not null default now(),
      primary key (consumer, key)
    );
    create index inbox_version_seen on inbox_version (seen_at);

    create table dead_letter (
      id text primary key,
      consumer text not null,
      pos bigint not null,
      key text not null,
      kind text not null,
      version bigint not null,
      payload jsonb not null,
      error text not null,
      deliveries integer not null,
      state text not null default 'DEAD' check (state in ('DEAD', 'REDRIVEN', 'HANDLED')),
      created_at timestamptz not null default now(),
      redriven_at timestamptz,
      unique (consumer, pos)
    );
  `.execute(db);
}
