/** Roles of principals, rotation of keys and of node credentials, secrets of jobs. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_key
      add column org_id text references org,
      add column team_id text references team,
      add column created_by text,
      add column previous_sha256 bytea,
      add column previous_until timestamptz,
      add column rotated_at timestamptz,
      add constraint api_key_one_owner check (org_id is null or team_id is null);
    comment on column api_key.team_id is 'Whose admins see and rotate it; neither team nor org: those of the cluster.';
    create index api_key_owner on api_key (org_id, team_id);

    create table role_binding (
      id text primary key,
      principal_kind text not null check (principal_kind in ('key', 'subject', 'group')),
      principal text not null check (length(principal) between 1 and 255),
      issuer text not null default '',
      role text not null check (role in ('viewer', 'member', 'operator', 'admin')),
      org_id text references org,
      team_id text references team,
      created_at timestamptz not null default now(),
      created_by text,
      constraint role_binding_one_target check (org_id is null or team_id is null),
      constraint role_binding_once unique nulls not distinct (principal_kind, principal, issuer, org_id, team_id)
    );
    comment on table role_binding is 'A role on a team, on an organisation, or, where both are null, on the cluster.';
    create index role_binding_target on role_binding (org_id, team_id, id);
    create index team_org on team (org_id);

    -- Keys of the time before roles could do what their scopes say, everywhere.
    insert into role_binding (id, principal_kind, principal, role)
      select replace(id, 'key_', 'bind_'), 'key', id, 'admin' from api_key where revoked_at is null;

    alter table node_credential
      add column rotation_ordered_at timestamptz,
      add column next_sha256 bytea;
    comment on column node_credential.next_sha256 is 'Secret that the agent has stored and offered; valid beside the old one until the first beat with the next version.';

    create table job_secret (
      team_id text not null references team,
      name text not null,
      version integer not null default 1,
      key_id text not null,
      nonce bytea not null,
      sealed bytea not null,
      created_at timestamptz not null default now(),
      changed_at timestamptz not null default now(),
      changed_by text,
      primary key (team_id, name)
    );
    comment on column job_secret.sealed is 'AES-256-GCM with the key named by key_id; team, name and version are authenticated with it.';
  `.execute(db);
}
