/** What a restore leaves behind until the world is adopted (protocol.md P33–P38), and which migrations old roles can't live with. */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table cluster
      add column restored_at timestamptz,
      add column runs_told boolean not null default true;
    comment on column cluster.restored_at is 'When this life of the database began; null: it was never restored.';
    comment on column cluster.runs_told is 'Open runs of the life before were told to read their rows again.';

    alter table attempt add column quarantined_at timestamptz;
    create index attempt_quarantined on attempt (job_id, epoch) where quarantined_at is not null;
    comment on column attempt.quarantined_at is 'Agents reported it after a restore that does not know it: at the thaw it is taken over whole, or stopped (P38).';

    alter table node add column adoption_due boolean not null default false;
    alter table node drop column schedulable;
    alter table node add column schedulable boolean not null generated always as
      (state = 'LIVE' and boot_id is not null and not cordoned_by_operator and not cordoned_by_fence and stray_members = 0 and not adoption_due) stored;
    comment on column node.adoption_due is 'Since a restore no beat of this life was taken: no new work until then (P36).';

    create table breaking_migration (
      name text primary key,
      reason text not null
    );
    comment on table breaking_migration is 'Applied migrations that roles of a version without them must not run against.';
    revoke insert, update, delete on breaking_migration from muster_app;
  `.execute(db);
}
