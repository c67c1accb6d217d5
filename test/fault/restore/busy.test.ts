/**
 * P33–P38 on a busy stack: real roles, agents and processes. The database is put back to a moment before a gang was
 * placed and another had ended, while both nodes' agents and the gang's processes run on.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeBackup } from '#services/backup/backup.ts';
import { restoreBackup } from '#services/backup/restore.ts';
import { connectControl } from '#services/platform/nats/bus.ts';
import { openLog } from '#services/platform/log.ts';
import { Fleet, openTimeoutMs, untilOpen, type Gate } from '../../e2e/fleet.ts';
import { until } from '../../e2e/until.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open({ nodes: 3 }); }, openTimeoutMs);
afterAll(async () => { await fleet.close(); });

const log = openLog('test', 'fatal');
const ownerUrl = (): string => fleet.roleEnv['MUSTER_DATABASE_OWNER_URL'] ?? '';
const starts = (job: string): string => path.join(fleet.dir, `starts-${job}`);
/** Each start leaves a line: a process that was doubled or started again would show. */
const program = (name: string, gate: Gate): string[] => untilOpen(gate, `echo $MUSTER_EPOCH $RANK >> ${starts(name)};`);
const startsOf = (name: string): string[] => readFileSync(starts(name), 'utf8').trim().split('\n').sort();
/** of the shells; their own children come and go */
const pidsOf = async (job: string): Promise<(number | null)[]> => (await fleet.attempt(job)).members.map(({ pid }) => pid);
const alive = (job: string, pids: readonly (number | null)[]): boolean => pids.every((pid) => fleet.programs({ job }).some((process) => process.pid === pid));

async function restore(folder: string) {
  const home = fleet.dir;
  const bus = await connectControl(fleet.config, log, 'restore');
  try {
    return await restoreBackup({ folder, databaseUrl: ownerUrl(), config: { ...fleet.config, home }, log, bus, confirm: async () => true });
  } finally {
    await bus.close();
  }
}

it('a gang that was placed after the backup goes on at its own epoch with its own processes; nothing runs twice at a time, and everything ends', async (context) => {
  const gates = { steady: fleet.gate(), ended: fleet.gate(), later: fleet.gate() };
  const whole = { members: 2, devicesPerMember: 8 };
  const ended = await fleet.submit({ name: 'ended', ...whole, argv: program('ended', gates.ended) });
  await fleet.state(ended, 'RUNNING');
  const steady = await fleet.submit({ name: 'steady', members: 1, devicesPerMember: 8, argv: program('steady', gates.steady) });
  await fleet.state(steady, 'RUNNING');
  const later = await fleet.submit({ name: 'later', ...whole, argv: program('later', gates.later) });
  const waiting = await fleet.submit({ name: 'waiting', ...whole, argv: ['true'] });
  const folder = path.join(fleet.dir, 'backup');
  const manifest = await takeBackup({ databaseUrl: ownerUrl(), folder });
  expect(manifest.tables.find(({ table }) => table === 'job')?.rows).toBe(4);

  gates.ended.open();
  await fleet.state(ended, 'SUCCEEDED');
  const before = await fleet.state(later, 'RUNNING');
  const lost = await fleet.submit({ name: 'lost', argv: ['true'] });
  const pids = { later: await pidsOf(later), steady: await pidsOf(steady) };
  expect(pids.later).toHaveLength(2);

  await expect(restore(folder)).rejects.toMatchObject({ code: 'roles_running' });
  await fleet.role('all').kill('SIGTERM');
  const restored = await restore(folder);
  expect(restored.incarnation).toBe(2);
  await fleet.role('all').start();

  await until('the thaw', async () => (await fleet.db.selectFrom('cluster').select('frozen_at').executeTakeFirstOrThrow()).frozen_at === null, 60_000);
  const after = await fleet.state(later, 'RUNNING');
  expect(after.epoch).toBe(before.epoch);
  expect({ later: await pidsOf(later), steady: await pidsOf(steady) }).toEqual(pids);
  expect(alive(later, pids.later) && alive(steady, pids.steady)).toBe(true);
  expect((await fleet.state(steady, 'RUNNING')).epoch).toBe((await fleet.attempt(steady)).epoch);
  await expect(fleet.job(lost)).rejects.toMatchObject({ problem: { code: 'job_not_found' } });

  gates.later.open();
  gates.steady.open();
  await fleet.state(later, 'SUCCEEDED');
  await fleet.state(steady, 'SUCCEEDED');
  expect(startsOf('later')).toEqual([0, 1].map((rank) => `${before.epoch} ${rank}`));
  expect(startsOf('steady')).toHaveLength(1);
  // Its end is younger than the backup and nobody remembers it: it runs again, at an epoch of the new life.
  await fleet.state(ended, 'SUCCEEDED', 60_000);
  const epochs = new Set(startsOf('ended').map((line) => BigInt(line.split(' ')[0]!)));
  expect([...epochs].map((epoch) => epoch >> 32n).sort()).toEqual([1n, 2n]);
  await fleet.state(waiting, 'SUCCEEDED', 60_000);
  await fleet.settle(context);
}, 240_000);

it('a second restore of the same backup takes a higher incarnation, and the first life\'s commits are of the past', async () => {
  await fleet.role('all').kill('SIGTERM');
  const restored = await restore(path.join(fleet.dir, 'backup'));
  expect(restored.incarnation).toBe(3);
  await fleet.role('all').start();
  await until('the thaw', async () => (await fleet.db.selectFrom('cluster').select('frozen_at').executeTakeFirstOrThrow()).frozen_at === null, 60_000);
  for (const { id } of await fleet.db.selectFrom('job').select('id').execute()) await fleet.state(id, 'SUCCEEDED', 60_000);
  await fleet.expectNothingLeft();
}, 240_000);
