/** The cluster row (incarnation, freeze), organisations, teams and API keys. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cluster (
      id smallint primary key default 1 check (id = 1),
      cluster_id uuid not null default gen_random_uuid(),
      incarnation integer not null default 1 check (incarnation between 1 and 2000000),
      frozen_at timestamptz
    );
    insert into cluster default values;

    create table org (
      id text primary key,
      name text not null unique,
      created_at timestamptz not null default now()
    );
    create table team (
      id text primary key,
      org_id text not null references org,
      name text not null unique,
      created_at timestamptz not null default now()
    );
    insert into org (id, name) values ('org_00000000000000000000000000', 'default');
    insert into team (id, org_id, name) values ('team_00000000000000000000000000', 'org_00000000000000000000000000', 'default');

    create table api_key (
      id text primary key,
      name text not null,
      secret_sha256 bytea not null,
      scopes text[] not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    );

    create table idempotency_key (
      owner text not null,
      key text not null,
      request_sha256 bytea not null,
      status smallint,
      body jsonb,
      created_at timestamptz not null default now(),
      primary key (owner, key)
    );
    create index idempotency_key_created on idempotency_key (created_at);
  `.execute(db);
}
