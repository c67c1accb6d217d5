/** The audit log, and the database role of the services, which can add to it and read it, and nothing else. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit (
      id bigint generated always as identity,
      at timestamptz not null default clock_timestamp(),
      actor_id text not null,
      actor_name text not null,
      action text not null,
      target text not null,
      before_sha256 bytea,
      after_sha256 bytea,
      reason text,
      request_id text not null,
      workflow_id text,
      primary key (id, at)
    ) partition by range (at);
    create index audit_target on audit (target, id desc);
    create index audit_actor on audit (actor_id, id desc);
    create index audit_request on audit (request_id);
    create table audit_default partition of audit default;
    comment on table audit is 'Append-only: who did what to which object, written in the transaction of the effect. Whole months are dropped by keep_audit, after their retention.';
    comment on column audit.before_sha256 is 'SHA-256 of the canonical JSON of the object before; null: it did not exist, or is not one row.';
  `.execute(db);
  await sql`
    create function keep_audit(months integer) returns integer language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      month timestamptz;
      partition text;
      dropped integer := 0;
    begin
      if months < 12 then raise exception 'the audit log is kept for twelve months at least, not %', months; end if;
      for ahead in 1..2 loop
        month := date_trunc('month', clock_timestamp(), 'UTC') + ahead * interval '1 month';
        partition := 'audit_p' || to_char(month at time zone 'UTC', 'YYYYMM');
        if to_regclass(partition) is null then
          execute format('create table %I (like audit including defaults)', partition);
          execute format('revoke all on %I from muster_app', partition);
          execute format('alter table audit attach partition %I for values from (%L) to (%L)', partition, month, month + interval '1 month');
        end if;
      end loop;
      for partition in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'audit'::regclass and c.relname ~ '^audit_p[0-9]{6}$'
          and to_date(substr(c.relname, 8), 'YYYYMM') + interval '1 month' <= (clock_timestamp() - months * interval '1 month') at time zone 'UTC'
      loop
        execute format('drop table %I', partition);
        dropped := dropped + 1;
      end loop;
      return dropped;
    end $$;
    comment on function keep_audit is 'Makes the partitions of the coming months and drops those past their retention. Runs as its owner: the services can''t drop a month themselves, nor shorten the retention below a year.';
  `.execute(db);
  await sql`
    do $$
    declare
      child regclass;
    begin
      if not exists (select from pg_roles where rolname = 'muster_app') then
        begin
          create role muster_app nologin;
        exception when duplicate_object or unique_violation then null; -- another database of this server was faster
        end;
      end if;
      if not pg_has_role(current_user, 'muster_app', 'set') then execute format('grant muster_app to %I with set true', current_user); end if;

      grant usage, create on schema public to muster_app; -- create: partitions of the outbox, made and dropped by the day
      grant select, insert, update, delete on all tables in schema public to muster_app;
      alter default privileges in schema public grant select, insert, update, delete on tables to muster_app;
      revoke insert, update, delete on kysely_migration, kysely_migration_lock from muster_app;
      revoke all on audit, audit_default from muster_app;
      grant select, insert on audit to muster_app;
      revoke all on function keep_audit from public;
      grant execute on function keep_audit to muster_app;

      for child in select 'outbox'::regclass union all select inhrelid from pg_inherits where inhparent = 'outbox'::regclass loop
        execute format('alter table %s owner to muster_app', child);
      end loop;
    end $$;
  `.execute(db);
}
