/** Nodes, devices, enrolment, credentials, and the heartbeat of the ingest itself (P16). */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table node (
      id text primary key,
      state text not null default 'LIVE' check (state in ('LIVE', 'UNKNOWN', 'DEAD')),
      version bigint not null default 1,
      generation bigint not null default 1,
      boot_id text,
      session bigint not null default 0,
      session_issued bigint not null default 0,
      sequence bigint not null default 0,
      lease_until timestamptz,
      last_beat_at timestamptz,
      adopted_incarnation integer not null default 0,
      cordoned_by_operator boolean not null default false,
      cordoned_by_fence boolean not null default false,
      cordon_reason text,
      stray_members integer not null default 0,
      schedulable boolean not null generated always as
        (state = 'LIVE' and boot_id is not null and not cordoned_by_operator and not cordoned_by_fence and stray_members = 0) stored,
      cpu_milli integer not null default 0 check (cpu_milli >= 0),
      cpu_used_milli integer not null default 0 check (cpu_used_milli >= 0),
      memory_bytes bigint not null default 0 check (memory_bytes >= 0),
      memory_used_bytes bigint not null default 0 check (memory_used_bytes >= 0),
      address text,
      hostname text,
      agent_version text,
      checkpoint_reach text check (checkpoint_reach in ('node', 'shared')),
      topology jsonb not null default '{}',
      labels jsonb not null default '{}',
      created_at timestamptz not null default now(),
      changed_at timestamptz not null default now()
    );
    comment on column node.stray_members is 'Members reported alive without a live row (P11): no new work until they are gone.';
    comment on column node.generation is '+1 whenever what the agent shall do changes; an answer of a lower one is dropped (P3).';

    create table node_boot (
      node_id text not null references node on delete cascade,
      boot_id text not null,
      superseded_at timestamptz not null default now(),
      proof text,
      primary key (node_id, boot_id)
    );
    comment on table node_boot is 'Boots that are over: never current again (P31).';

    create table device (
      node_id text not null references node on delete cascade,
      idx smallint not null check (idx >= 0),
      model text not null,
      uuid text not null,
      memory_bytes bigint not null default 0,
      health text not null default 'ok' check (health in ('ok', 'degraded', 'failed')),
      used_milli integer not null default 0 check (used_milli between 0 and 1000),
      primary key (node_id, idx)
    );

    create table enrolment_token (
      id text primary key,
      token_sha256 bytea not null unique,
      node_id text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz,
      used_by text
    );
    create table node_credential (
      node_id text primary key references node on delete cascade,
      version integer not null default 1,
      secret_sha256 bytea not null,
      created_at timestamptz not null default now(),
      revoked_at timestamptz
    );

    create table ingest_heartbeat (
      id smallint primary key default 1 check (id = 1),
      up_since timestamptz not null default now(),
      beat_at timestamptz not null default now()
    );
    insert into ingest_heartbeat default values;
    comment on table ingest_heartbeat is 'Silence of nodes counts only while the ingest is known to be up: after a gap up_since starts anew (P16).';
  `.execute(db);
}
