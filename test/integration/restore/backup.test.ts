import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { execa } from 'execa';
import { sql } from 'kysely';
import { takeBackup } from '#services/backup/backup.ts';
import { manifestFile, positionBefore, type Manifest } from '#services/backup/model.ts';
import { restoreBackup, type RestoreRequest } from '#services/backup/restore.ts';
import { readEvents } from '#services/events/read.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { migrateUpTo } from '#services/platform/migrate.ts';
import { openDb } from '#services/platform/db.ts';
import { readSchemaState, schemaTooNewExitCode } from '#services/platform/schema-check.ts';
import { createEmptyDatabase } from '#test/setup/database.ts';
import { Fleet } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
let dir: string;
let manifest: Manifest;
let job: string;
const folder = (): string => path.join(dir, 'backup');
const ownerUrl = (): string => fleet.world.env['MUSTER_DATABASE_OWNER_URL'] ?? '';

beforeAll(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'muster-backup-'));
  fleet = await Fleet.open();
  const node = await fleet.node();
  job = await fleet.job({ name: 'name with a "quote", a \\ and\na line', members: 1 });
  await fleet.place(job, [node]);
  manifest = await takeBackup({ databaseUrl: ownerUrl(), folder: folder() });
});
afterAll(async () => {
  await fleet.close();
  rmSync(dir, { recursive: true, force: true });
});

const request = (change: Partial<RestoreRequest> = {}): RestoreRequest => ({
  folder: folder(), databaseUrl: ownerUrl(), config: { ...fleet.world.config, home: dir }, log: fleet.world.log, bus: undefined, confirm: async () => true, ...change,
});
const copyOf = (name: string): string => {
  const copy = path.join(dir, name);
  cpSync(folder(), copy, { recursive: true });
  return copy;
};

it('names every table of the schema: copied with rows and digest, or left out with a reason', async () => {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`.execute(fleet.world.db);
  expect([...manifest.tables.map(({ table }) => table), ...manifest.excluded.map(({ table }) => table)].sort()).toEqual(rows.map(({ name }) => name).sort());
  expect(manifest.tables.find(({ table }) => table === 'job')).toMatchObject({ rows: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

it('a damaged file, a newer schema, a foreign folder and a missing confirmation are refused, and nothing is changed', async () => {
  const damaged = copyOf('damaged');
  appendFileSync(path.join(damaged, 'job.copy'), 'x\n');
  const newer = copyOf('newer');
  writeFileSync(path.join(newer, manifestFile), readFileSync(path.join(newer, manifestFile), 'utf8').replace('0001_cluster_and_teams', '0001_of_another_time'));
  await expect(restoreBackup(request({ folder: damaged }))).rejects.toMatchObject({ code: 'backup_damaged' });
  await expect(restoreBackup(request({ folder: newer }))).rejects.toMatchObject({ code: 'schema_newer' });
  await expect(restoreBackup(request({ folder: dir }))).rejects.toMatchObject({ code: 'backup_unreadable' });
  await expect(restoreBackup(request({ confirm: async () => false }))).rejects.toMatchObject({ code: 'not_confirmed' });
  expect(await fleet.world.db.selectFrom('cluster').select(['incarnation', 'frozen_at']).executeTakeFirstOrThrow()).toEqual({ incarnation: 1, frozen_at: null });
});

it('P33 without any witness of used incarnations an empty database is not filled, until somebody says the highest', async () => {
  const empty = await createEmptyDatabase(inject('postgresUrl'));
  try {
    const blind = { databaseUrl: empty.url, config: { ...fleet.world.config, home: path.join(dir, 'elsewhere') } };
    await expect(restoreBackup(request(blind))).rejects.toMatchObject({ code: 'incarnation_unknown' });
    expect((await restoreBackup(request({ ...blind, aboveIncarnation: 6 }))).incarnation).toBe(7);
  } finally {
    await empty.drop();
  }
});

it('P33 P34 a restore brings the rows back as a new life: everything that was handed out compares lower', async () => {
  const before = await fleet.world.db.selectFrom('job').selectAll().executeTakeFirstOrThrow();
  await fleet.world.db.updateTable('job').set({ name: 'changed since', version: 900n }).execute();
  const { incarnation } = await restoreBackup(request());
  const after = await fleet.world.db.selectFrom('job').selectAll().executeTakeFirstOrThrow();
  expect({ ...after, version: before.version }).toEqual(before);
  expect(after.version).toBeGreaterThan(900n);
  const node = await fleet.world.db.selectFrom('node').select(['session', 'schedulable', 'adoption_due']).executeTakeFirstOrThrow();
  expect(node).toEqual({ session: BigInt(incarnation) << 32n, schedulable: false, adoption_due: true });
  expect((await fleet.world.db.selectFrom('cluster').select('frozen_at').executeTakeFirstOrThrow()).frozen_at).not.toBeNull();
  // A reader of the old life is told that it is over, wherever it stood.
  await expect(readEvents(fleet.world.db, 1n, 1)).rejects.toMatchObject({ code: 'gone' });
  expect(await readEvents(fleet.world.db, positionBefore(incarnation), 1)).toEqual([]);
  expect((await restoreBackup(request())).incarnation).toBe(incarnation + 1);
});

it('a restore that fails in the middle leaves the database as it was', async () => {
  await fleet.world.db.updateTable('job').set({ name: 'to be kept' }).execute();
  const broken = copyOf('broken');
  const wrong: Manifest = { ...manifest, tables: manifest.tables.map((table) => (table.table === 'job' ? { ...table, columns: [...table.columns.slice(1), 'no_such_column'] } : table)) };
  writeFileSync(path.join(broken, manifestFile), JSON.stringify(wrong));
  await expect(restoreBackup(request({ folder: broken }))).rejects.toThrow(/no_such_column/);
  expect((await fleet.world.db.selectFrom('job').select('name').executeTakeFirstOrThrow()).name).toBe('to be kept');
});

it('a backup of an older schema is loaded into it and then migrated', async () => {
  const old = await createEmptyDatabase(inject('postgresUrl'));
  try {
    await migrateUpTo(old.url, '0010_operations');
    const taken = await takeBackup({ databaseUrl: old.url, folder: path.join(dir, 'old') });
    expect(taken.migrations.at(-1)).toBe('0010_operations');
    const restored = await restoreBackup(request({ databaseUrl: old.url, folder: path.join(dir, 'old') }));
    expect(restored.migrated).toContain('0011_restore');
  } finally {
    await old.drop();
  }
});

it('a role that lacks a breaking migration ends with 57 and says what to do; one that lacks another runs', async () => {
  const { owner, db, env } = fleet.world;
  const known = (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)).rows.map(({ name }) => name);
  expect(await readSchemaState(db, known.slice(0, -1))).toEqual({ kind: 'fits' });
  expect(await readSchemaState(db, [...known, '9999_later'])).toMatchObject({ kind: 'missing' });
  await sql`insert into breaking_migration values ('9999_renames', 'job.state was renamed')`.execute(owner);
  const ended = await execa(process.execPath, [path.join(repositoryRoot, 'services/roles/scheduler.ts')], { reject: false, env: { ...env, MUSTER_LOG_LEVEL: 'fatal' } as Record<string, string>, timeout: 60_000 });
  expect(ended.exitCode).toBe(schemaTooNewExitCode);
  expect(ended.stderr).toContain('Update this process');
});

it('a database without tables is waited for', async () => {
  const empty = await createEmptyDatabase(inject('postgresUrl'));
  const db = openDb({ ...fleet.world.config, databaseUrl: empty.url }, fleet.world.log, 'test');
  try {
    expect(await readSchemaState(db, ['0001'])).toMatchObject({ kind: 'missing' });
  } finally {
    await db.destroy();
    await empty.drop();
  }
});
