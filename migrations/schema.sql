-- Made from the migrations by infra/schema/write.ts; a test compares it.

create table allocation (
  job_id text not null,
  epoch bigint not null,
  rank integer not null,
  device_idx smallint not null,
  node_id text not null,
  milli integer not null default 0,
  cpu_milli integer not null default 0,
  memory_bytes bigint not null default 0,
  held_by text not null default 'job'::text,
  ticket_id text,
  state text not null default 'held'::text,
  constraint allocation_pkey PRIMARY KEY (job_id, epoch, rank, device_idx),
  constraint allocation_job_id_epoch_rank_fkey FOREIGN KEY (job_id, epoch, rank) REFERENCES member(job_id, epoch, rank),
  constraint allocation_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  constraint allocation_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES ticket(id),
  constraint allocation_check CHECK (((held_by = 'ticket'::text) = (ticket_id IS NOT NULL))),
  constraint allocation_device_idx_check CHECK ((device_idx >= '-1'::integer)),
  constraint allocation_held_by_check CHECK ((held_by = ANY (ARRAY['job'::text, 'ticket'::text, 'reservation'::text]))),
  constraint allocation_milli_check CHECK (((milli >= 0) AND (milli <= 1000))),
  constraint allocation_state_check CHECK ((state = ANY (ARRAY['held'::text, 'fenced'::text])))
);
CREATE INDEX allocation_node ON public.allocation USING btree (node_id);
CREATE INDEX allocation_ticket ON public.allocation USING btree (ticket_id) WHERE (ticket_id IS NOT NULL);
comment on table allocation is 'A row a device (device_idx >= 0), and one a member for cpu and memory of the host (device_idx -1). Rows are deleted when they are free; fenced ones block until proof (law 4).';

create table api_key (
  id text not null,
  name text not null,
  secret_sha256 bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  org_id text,
  team_id text,
  created_by text,
  previous_sha256 bytea,
  previous_until timestamp with time zone,
  rotated_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_org_id_fkey FOREIGN KEY (org_id) REFERENCES org(id),
  constraint api_key_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  constraint api_key_one_owner CHECK (((org_id IS NULL) OR (team_id IS NULL)))
);
CREATE INDEX api_key_owner ON public.api_key USING btree (org_id, team_id);
comment on column api_key.team_id is 'Whose admins see and rotate it; neither team nor org: those of the cluster.';

create table attempt (
  job_id text not null,
  epoch bigint not null,
  members integer not null,
  accepted integer not null default 0,
  ready integer not null default 0,
  gone integer not null default 0,
  succeeded integer not null default 0,
  user_failed integer not null default 0,
  refused integer not null default 0,
  fenced boolean not null default false,
  supervised_at timestamp with time zone,
  reserved_at timestamp with time zone not null default clock_timestamp(),
  starting_at timestamp with time zone,
  running_at timestamp with time zone,
  ended_at timestamp with time zone,
  end_state text,
  end_reason text,
  master_address text,
  master_port integer,
  resume_checkpoint text,
  quarantined_at timestamp with time zone,
  constraint attempt_pkey PRIMARY KEY (job_id, epoch),
  constraint attempt_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id),
  constraint attempt_check CHECK ((((accepted >= 0) AND (accepted <= members)) AND ((ready >= 0) AND (ready <= members)) AND ((gone >= 0) AND (gone <= members))))
);
CREATE INDEX attempt_quarantined ON public.attempt USING btree (job_id, epoch) WHERE (quarantined_at IS NOT NULL);
comment on column attempt.fenced is 'Nothing of this epoch can be published any more (P18, law 5).';
comment on column attempt.quarantined_at is 'Agents reported it after a restore that does not know it: at the thaw it is taken over whole, or stopped (P38).';

create table audit (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  actor_id text not null,
  actor_name text not null,
  action text not null,
  target text not null,
  before_sha256 bytea,
  after_sha256 bytea,
  reason text,
  request_id text not null,
  workflow_id text,
  constraint audit_pkey PRIMARY KEY (id, at)
) partition by RANGE (at);
CREATE INDEX audit_actor ON ONLY public.audit USING btree (actor_id, id DESC);
CREATE INDEX audit_request ON ONLY public.audit USING btree (request_id);
CREATE INDEX audit_target ON ONLY public.audit USING btree (target, id DESC);
comment on table audit is 'Append-only: who did what to which object, written in the transaction of the effect. Whole months are dropped by keep_audit, after their retention.';
comment on column audit.before_sha256 is 'SHA-256 of the canonical JSON of the object before; null: it did not exist, or is not one row.';

create table breaking_migration (
  name text not null,
  reason text not null,
  constraint breaking_migration_pkey PRIMARY KEY (name)
);
comment on table breaking_migration is 'Applied migrations that roles of a version without them must not run against.';

create table checkpoint (
  id text not null,
  job_id text not null,
  epoch bigint not null,
  step bigint not null,
  dir text not null,
  reach text not null,
  nodes text[] not null,
  layout jsonb not null,
  data_position jsonb not null,
  shards integer not null,
  bytes bigint not null,
  state text not null default 'COMMITTED'::text,
  bad_reason text,
  committed_at timestamp with time zone not null default clock_timestamp(),
  constraint checkpoint_job_id_epoch_step_key UNIQUE (job_id, epoch, step),
  constraint checkpoint_pkey PRIMARY KEY (id),
  constraint checkpoint_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id),
  constraint checkpoint_reach_check CHECK ((reach = ANY (ARRAY['node'::text, 'shared'::text]))),
  constraint checkpoint_state_check CHECK ((state = ANY (ARRAY['COMMITTED'::text, 'BAD'::text]))),
  constraint checkpoint_step_check CHECK ((step >= 0))
);
CREATE INDEX checkpoint_job ON public.checkpoint USING btree (job_id, step DESC, epoch DESC);

create table checkpoint_pointer (
  job_id text not null,
  checkpoint_id text,
  epoch bigint not null,
  step bigint not null,
  moved_at timestamp with time zone not null default clock_timestamp(),
  constraint checkpoint_pointer_pkey PRIMARY KEY (job_id),
  constraint checkpoint_pointer_checkpoint_id_fkey FOREIGN KEY (checkpoint_id) REFERENCES checkpoint(id),
  constraint checkpoint_pointer_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id)
);
comment on table checkpoint_pointer is 'Moves by compare-and-set on (job, epoch, step); checkpoint_id null means commits exist and none is readable: the job stops, it never starts at step 0.';

create table checkpoint_shard (
  job_id text not null,
  epoch bigint not null,
  step bigint not null,
  rank integer not null,
  path text not null,
  bytes bigint not null,
  sha256 text not null,
  node_id text not null,
  reported_at timestamp with time zone not null default clock_timestamp(),
  constraint checkpoint_shard_pkey PRIMARY KEY (job_id, epoch, step, rank, path),
  constraint checkpoint_shard_bytes_check CHECK ((bytes >= 0)),
  constraint checkpoint_shard_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  constraint checkpoint_shard_step_check CHECK ((step >= 0))
);

create table cluster (
  id smallint not null default 1,
  cluster_id uuid not null default gen_random_uuid(),
  incarnation integer not null default 1,
  frozen_at timestamp with time zone,
  restored_at timestamp with time zone,
  runs_told boolean not null default true,
  constraint cluster_pkey PRIMARY KEY (id),
  constraint cluster_id_check CHECK ((id = 1)),
  constraint cluster_incarnation_check CHECK (((incarnation >= 1) AND (incarnation <= 2000000)))
);
comment on column cluster.restored_at is 'When this life of the database began; null: it was never restored.';
comment on column cluster.runs_told is 'Open runs of the life before were told to read their rows again.';

create table dead_letter (
  id text not null,
  consumer text not null,
  pos bigint not null,
  key text not null,
  kind text not null,
  version bigint not null,
  payload jsonb not null,
  error text not null,
  deliveries integer not null,
  state text not null default 'DEAD'::text,
  created_at timestamp with time zone not null default now(),
  redriven_at timestamp with time zone,
  constraint dead_letter_consumer_pos_key UNIQUE (consumer, pos),
  constraint dead_letter_pkey PRIMARY KEY (id),
  constraint dead_letter_state_check CHECK ((state = ANY (ARRAY['DEAD'::text, 'REDRIVEN'::text, 'HANDLED'::text])))
);

create table device (
  node_id text not null,
  idx smallint not null,
  model text not null,
  uuid text not null,
  memory_bytes bigint not null default 0,
  health text not null default 'ok'::text,
  used_milli integer not null default 0,
  constraint device_pkey PRIMARY KEY (node_id, idx),
  constraint device_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE,
  constraint device_health_check CHECK ((health = ANY (ARRAY['ok'::text, 'degraded'::text, 'failed'::text]))),
  constraint device_idx_check CHECK ((idx >= 0)),
  constraint device_used_milli_check CHECK (((used_milli >= 0) AND (used_milli <= 1000)))
);

create table enrolment_token (
  id text not null,
  token_sha256 bytea not null,
  node_id text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_by text,
  constraint enrolment_token_token_sha256_key UNIQUE (token_sha256),
  constraint enrolment_token_pkey PRIMARY KEY (id)
);

create table event_cursor (
  reader text not null,
  pos bigint not null default 0,
  moved_at timestamp with time zone not null default now(),
  constraint event_cursor_pkey PRIMARY KEY (reader)
);

create table event_sequence (
  id smallint not null default 1,
  last_pos bigint not null default 0,
  kept_from_pos bigint not null default 1,
  constraint event_sequence_pkey PRIMARY KEY (id),
  constraint event_sequence_id_check CHECK ((id = 1))
);

create table idempotency_key (
  owner text not null,
  key text not null,
  request_sha256 bytea not null,
  status smallint,
  body jsonb,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_key_pkey PRIMARY KEY (owner, key)
);
CREATE INDEX idempotency_key_created ON public.idempotency_key USING btree (created_at);

create table inbox (
  consumer text not null,
  pos bigint not null,
  received_at timestamp with time zone not null default now(),
  constraint inbox_pkey PRIMARY KEY (consumer, pos)
);
CREATE INDEX inbox_received ON public.inbox USING btree (received_at);

create table inbox_version (
  consumer text not null,
  key text not null,
  version bigint not null,
  seen_at timestamp with time zone not null default now(),
  constraint inbox_version_pkey PRIMARY KEY (consumer, key)
);
CREATE INDEX inbox_version_seen ON public.inbox_version USING btree (seen_at);

create table ingest_heartbeat (
  id smallint not null default 1,
  up_since timestamp with time zone not null default now(),
  beat_at timestamp with time zone not null default now(),
  constraint ingest_heartbeat_pkey PRIMARY KEY (id),
  constraint ingest_heartbeat_id_check CHECK ((id = 1))
);
comment on table ingest_heartbeat is 'Silence of nodes counts only while the ingest is known to be up: after a gap up_since starts anew (P16).';

create table job (
  id text not null,
  team_id text not null,
  name text not null,
  spec jsonb not null,
  state text not null,
  version bigint not null default 1,
  epoch bigint not null default 0,
  members integer not null,
  priority integer not null,
  preemptible boolean not null,
  exclusive boolean not null,
  submitted_at timestamp with time zone not null default clock_timestamp(),
  changed_at timestamp with time zone not null default clock_timestamp(),
  state_since timestamp with time zone not null default clock_timestamp(),
  not_before timestamp with time zone,
  queue_deadline_at timestamp with time zone,
  vacate_reason text,
  vacate_deadline_at timestamp with time zone,
  detail text,
  user_failures integer not null default 0,
  infrastructure_failures integer not null default 0,
  preemptions integer not null default 0,
  unsupervised_attempts integer not null default 0,
  avoid_nodes text[] not null default '{}'::text[],
  waiting_reason text,
  waiting_detail text,
  waiting_since timestamp with time zone,
  run_ms bigint not null default 0,
  ended_at timestamp with time zone,
  retry_of text,
  request_id text,
  trace_parent text,
  constraint job_pkey PRIMARY KEY (id),
  constraint job_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES job(id),
  constraint job_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  constraint job_members_check CHECK (((members >= 1) AND (members <= 4096))),
  constraint job_state_check CHECK ((state = ANY (ARRAY['SUBMITTED'::text, 'QUEUED'::text, 'RESERVED'::text, 'STARTING'::text, 'RUNNING'::text, 'LOST'::text, 'VACATING'::text, 'CANCELLING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text, 'REJECTED'::text])))
);
CREATE INDEX job_labels ON public.job USING gin (((spec -> 'labels'::text)));
CREATE INDEX job_list ON public.job USING btree (submitted_at DESC, id DESC);
CREATE INDEX job_state ON public.job USING btree (state, priority DESC, submitted_at, id) WHERE (state <> ALL (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text, 'REJECTED'::text]));
CREATE INDEX job_team_list ON public.job USING btree (team_id, submitted_at DESC, id DESC);
comment on column job.detail is 'Last reason in a sentence, for people.';
comment on column job.run_ms is 'Time that ended attempts spent RUNNING; the time limit counts it.';
comment on column job.trace_parent is 'traceparent (W3C) of the request that submitted it; null where tracing was off.';

create table job_secret (
  team_id text not null,
  name text not null,
  version integer not null default 1,
  key_id text not null,
  nonce bytea not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  changed_by text,
  constraint job_secret_pkey PRIMARY KEY (team_id, name),
  constraint job_secret_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id)
);
comment on column job_secret.sealed is 'AES-256-GCM with the key named by key_id; team, name and version are authenticated with it.';

create table leader (
  name text not null,
  token bigint not null default 0,
  holder text,
  constraint leader_pkey PRIMARY KEY (name)
);
comment on table leader is 'Plans take this row FOR SHARE, take-over updates it; the lease stands in a row of its own, so renewals never wait for plans.';

create table leader_lease (
  name text not null,
  holder text,
  expires_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  constraint leader_lease_pkey PRIMARY KEY (name),
  constraint leader_lease_name_fkey FOREIGN KEY (name) REFERENCES leader(name)
);

create table member (
  job_id text not null,
  epoch bigint not null,
  rank integer not null,
  node_id text not null,
  local_rank integer not null,
  devices smallint[] not null,
  desired text not null default 'run'::text,
  stop_reason text,
  stop_grace_ms integer,
  ordered_boot_id text,
  boot_id text,
  accepted_at timestamp with time zone,
  ready_at timestamp with time zone,
  gone_at timestamp with time zone,
  gone_kind text,
  exit_code integer,
  exit_signal text,
  refusal_code text,
  detail text,
  pid integer,
  progress_step bigint,
  progress_total bigint,
  progress_message text,
  constraint member_pkey PRIMARY KEY (job_id, epoch, rank),
  constraint member_job_id_epoch_fkey FOREIGN KEY (job_id, epoch) REFERENCES attempt(job_id, epoch),
  constraint member_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  constraint member_desired_check CHECK ((desired = ANY (ARRAY['run'::text, 'stop'::text]))),
  constraint member_gone_kind_check CHECK ((gone_kind = ANY (ARRAY['exited'::text, 'gone'::text, 'refused'::text, 'proof'::text])))
);
CREATE INDEX member_live ON public.member USING btree (node_id) WHERE (gone_at IS NULL);

create table node (
  id text not null,
  state text not null default 'LIVE'::text,
  version bigint not null default 1,
  generation bigint not null default 1,
  boot_id text,
  session bigint not null default 0,
  session_issued bigint not null default 0,
  sequence bigint not null default 0,
  lease_until timestamp with time zone,
  last_beat_at timestamp with time zone,
  adopted_incarnation integer not null default 0,
  cordoned_by_operator boolean not null default false,
  cordoned_by_fence boolean not null default false,
  cordon_reason text,
  stray_members integer not null default 0,
  cpu_milli integer not null default 0,
  cpu_used_milli integer not null default 0,
  memory_bytes bigint not null default 0,
  memory_used_bytes bigint not null default 0,
  address text,
  hostname text,
  agent_version text,
  checkpoint_reach text,
  topology jsonb not null default '{}'::jsonb,
  labels jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  changed_at timestamp with time zone not null default now(),
  adoption_due boolean not null default false,
  schedulable boolean not null generated always as (((state = 'LIVE'::text) AND (boot_id IS NOT NULL) AND (NOT cordoned_by_operator) AND (NOT cordoned_by_fence) AND (stray_members = 0) AND (NOT adoption_due))) stored,
  constraint node_pkey PRIMARY KEY (id),
  constraint node_checkpoint_reach_check CHECK ((checkpoint_reach = ANY (ARRAY['node'::text, 'shared'::text]))),
  constraint node_cpu_milli_check CHECK ((cpu_milli >= 0)),
  constraint node_cpu_used_milli_check CHECK ((cpu_used_milli >= 0)),
  constraint node_memory_bytes_check CHECK ((memory_bytes >= 0)),
  constraint node_memory_used_bytes_check CHECK ((memory_used_bytes >= 0)),
  constraint node_state_check CHECK ((state = ANY (ARRAY['LIVE'::text, 'UNKNOWN'::text, 'DEAD'::text])))
);
comment on column node.generation is '+1 whenever what the agent shall do changes; an answer of a lower one is dropped (P3).';
comment on column node.stray_members is 'Members reported alive without a live row (P11): no new work until they are gone.';
comment on column node.adoption_due is 'Since a restore no beat of this life was taken: no new work until then (P36).';

create table node_boot (
  node_id text not null,
  boot_id text not null,
  superseded_at timestamp with time zone not null default now(),
  proof text,
  constraint node_boot_pkey PRIMARY KEY (node_id, boot_id),
  constraint node_boot_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
);
comment on table node_boot is 'Boots that are over: never current again (P31).';

create table node_credential (
  node_id text not null,
  version integer not null default 1,
  secret_sha256 bytea not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  rotation_ordered_at timestamp with time zone,
  next_sha256 bytea,
  constraint node_credential_pkey PRIMARY KEY (node_id),
  constraint node_credential_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id) ON DELETE CASCADE
);
comment on column node_credential.next_sha256 is 'Secret that the agent has stored and offered; valid beside the old one until the first beat with the next version.';

create table operation (
  id text not null,
  kind text not null,
  target text not null,
  team_id text,
  state text not null default 'RUNNING'::text,
  detail text,
  reason text,
  actor_id text not null,
  request_id text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  constraint operation_pkey PRIMARY KEY (id),
  constraint operation_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  constraint operation_kind_check CHECK ((kind = ANY (ARRAY['job.cancel'::text, 'node.drain'::text]))),
  constraint operation_state_check CHECK ((state = ANY (ARRAY['RUNNING'::text, 'SUCCEEDED'::text, 'FAILED'::text])))
);
CREATE INDEX operation_ended ON public.operation USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX operation_running ON public.operation USING btree (kind, target) WHERE (state = 'RUNNING'::text);
CREATE INDEX operation_target ON public.operation USING btree (target, id DESC);
comment on table operation is 'Asked for and not finished by the answer: an action that is over when its target says so. One of a kind runs a target.';
comment on column operation.team_id is 'Whose object it is about; null: the cluster''s.';

create table org (
  id text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint org_name_key UNIQUE (name),
  constraint org_pkey PRIMARY KEY (id)
);

create table outbox (
  id bigint not null generated always as identity,
  pos bigint,
  key text not null,
  version bigint not null,
  kind text not null,
  payload jsonb not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint outbox_pkey PRIMARY KEY (id, created_at)
) partition by RANGE (created_at);
CREATE INDEX outbox_key ON ONLY public.outbox USING btree (key, pos);
CREATE INDEX outbox_pos ON ONLY public.outbox USING btree (pos) WHERE (pos IS NOT NULL);
CREATE INDEX outbox_unnumbered ON ONLY public.outbox USING btree (id) WHERE (pos IS NULL);
comment on table outbox is 'Events: dirty keys with a version. pos is the commit-safe cursor, given by whoever sequences; daily partitions are dropped after their retention.';

create table role_binding (
  id text not null,
  principal_kind text not null,
  principal text not null,
  issuer text not null default ''::text,
  role text not null,
  org_id text,
  team_id text,
  created_at timestamp with time zone not null default now(),
  created_by text,
  constraint role_binding_once UNIQUE NULLS NOT DISTINCT (principal_kind, principal, issuer, org_id, team_id),
  constraint role_binding_pkey PRIMARY KEY (id),
  constraint role_binding_org_id_fkey FOREIGN KEY (org_id) REFERENCES org(id),
  constraint role_binding_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  constraint role_binding_one_target CHECK (((org_id IS NULL) OR (team_id IS NULL))),
  constraint role_binding_principal_check CHECK (((length(principal) >= 1) AND (length(principal) <= 255))),
  constraint role_binding_principal_kind_check CHECK ((principal_kind = ANY (ARRAY['key'::text, 'subject'::text, 'group'::text]))),
  constraint role_binding_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'member'::text, 'operator'::text, 'admin'::text])))
);
CREATE INDEX role_binding_target ON public.role_binding USING btree (org_id, team_id, id);
comment on table role_binding is 'A role on a team, on an organisation, or, where both are null, on the cluster.';

create table team (
  id text not null,
  org_id text not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  constraint team_name_key UNIQUE (name),
  constraint team_pkey PRIMARY KEY (id),
  constraint team_org_id_fkey FOREIGN KEY (org_id) REFERENCES org(id)
);
CREATE INDEX team_org ON public.team USING btree (org_id);

create table ticket (
  id text not null,
  kind text not null,
  beneficiary_job_id text not null,
  state text not null default 'OPEN'::text,
  deadline_at timestamp with time zone not null,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  end_reason text,
  constraint ticket_pkey PRIMARY KEY (id),
  constraint ticket_beneficiary_job_id_fkey FOREIGN KEY (beneficiary_job_id) REFERENCES job(id),
  constraint ticket_kind_check CHECK ((kind = ANY (ARRAY['preemption'::text, 'defragmentation'::text, 'recovery'::text]))),
  constraint ticket_state_check CHECK ((state = ANY (ARRAY['OPEN'::text, 'ENDED'::text])))
);
CREATE UNIQUE INDEX ticket_open ON public.ticket USING btree (beneficiary_job_id) WHERE (state = 'OPEN'::text);

create table ticket_row (
  ticket_id text not null,
  job_id text not null,
  epoch bigint not null,
  rank integer not null,
  constraint ticket_row_pkey PRIMARY KEY (ticket_id, job_id, epoch, rank),
  constraint ticket_row_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES ticket(id)
);
CREATE INDEX ticket_row_member ON public.ticket_row USING btree (job_id, epoch, rank);

create table ticket_victim (
  ticket_id text not null,
  job_id text not null,
  epoch bigint not null,
  state text not null default 'PLANNED'::text,
  constraint ticket_victim_pkey PRIMARY KEY (ticket_id, job_id, epoch),
  constraint ticket_victim_job_id_fkey FOREIGN KEY (job_id) REFERENCES job(id),
  constraint ticket_victim_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES ticket(id),
  constraint ticket_victim_state_check CHECK ((state = ANY (ARRAY['PLANNED'::text, 'ORDERED'::text, 'GONE'::text, 'WITHDRAWN'::text])))
);
