import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepAudit } from '#services/audit/store.ts';
import { openApiWorld, smallJob, type ApiWorld } from '#test/setup/api.ts';

let api: ApiWorld;
beforeAll(async () => { api = await openApiWorld(); });
afterAll(() => api.close());

const partitions = async (): Promise<string[]> => (await sql<{ name: string }>`
  select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'audit'::regclass order by 1`.execute(api.owner)).rows.map((row) => row.name);

it.each([
  'update audit set reason = null', 'delete from audit', 'truncate audit',
  'update audit_default set reason = null', 'delete from audit_default', 'truncate audit_default', 'insert into audit_default (id) overriding system value values (1)',
  'drop table audit', 'alter table audit detach partition audit_default', 'alter table audit add column x text',
  'alter table audit owner to muster_app', 'create rule forget as on insert to audit do instead nothing',
  "create trigger forget before insert on audit for each row execute function suppress_redundant_updates_trigger()",
])('the services\' database role can not: %s', async (statement) => {
  await api.post('/v1/jobs', smallJob);
  const before = (await sql`select * from audit order by id`.execute(api.owner)).rows;
  expect(before.length).toBeGreaterThan(0);
  await expect(sql.raw(statement).execute(api.db)).rejects.toMatchObject({ code: '42501' });
  expect((await sql`select * from audit order by id`.execute(api.owner)).rows).toEqual(before);
});

it('partitions of the coming months are as closed as the table', async () => {
  await keepAudit(api.db, 24);
  const made = (await partitions()).filter((name) => name !== 'audit_default');
  expect(made).toHaveLength(2);
  await keepAudit(api.db, 24);
  expect(await partitions()).toHaveLength(3);
  for (const name of made) await expect(sql`delete from ${sql.table(name)}`.execute(api.db)).rejects.toMatchObject({ code: '42501' });
});

it('a month goes when its retention is over; nobody shortens that below a year', async () => {
  await sql`create table audit_p201901 partition of audit for values from ('2019-01-01 00:00+00') to ('2019-02-01 00:00+00')`.execute(api.owner);
  expect(await keepAudit(api.db, 120)).toBe(0);
  expect(await keepAudit(api.db, 24)).toBe(1);
  expect(await partitions()).not.toContain('audit_p201901');
  await expect(keepAudit(api.db, 11)).rejects.toThrow('twelve months');
});

it('the migrations of the database are not the services\' to change', async () => {
  await expect(sql`delete from kysely_migration`.execute(api.db)).rejects.toMatchObject({ code: '42501' });
});
