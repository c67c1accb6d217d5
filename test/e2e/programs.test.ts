/** Programs that behave badly: each ends as documented, changes nothing else, leaves nothing behind. */
import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '#services/cli/client.ts';
import { Fleet, openTimeoutMs, program } from './fleet.ts';
import { until } from './until.ts';

const timeout = 60_000;
const logBytesMax = 65_536;

describe('a program that', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 2, settings: { MUSTER_LOG_BYTES_MAX_PER_MEMBER: String(logBytesMax) } }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  const shell = (script: string): string[] => ['/bin/sh', '-c', script];
  const member = async (id: string, rank = 0): Promise<Schema<'Attempt'>['members'][number]> => {
    const found = (await fleet.attempt(id)).members[rank];
    if (!found) throw new Error(`${id} has no rank ${rank}`);
    return found;
  };
  const output = (id: string, wanted: string | RegExp): Promise<string> => until(`output with ${wanted}`, async () => {
    const text = await fleet.logs(id);
    return (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) && text;
  }, 20_000, async () => (await fleet.logs(id)).slice(-300));

  it('forks, detaches and ends is ended whole: its strays go with it', { timeout }, async () => {
    const id = await fleet.submit({ argv: shell('setsid sh -c "trap \\"\\" TERM HUP; while :; do sleep 0.2; done" & sleep 0.3; exit 0') });
    await fleet.state(id, 'SUCCEEDED');
    await until('its strays to be gone', () => fleet.programs({ job: id }).length === 0);
  });

  it('ignores SIGTERM is killed at its deadline, its detached children too', { timeout }, async () => {
    const stubborn = 'trap "" TERM; while :; do sleep 0.1; done';
    const id = await fleet.submit({ argv: shell(`setsid sh -c '${stubborn}' & ${stubborn}`), checkpoint: { graceSeconds: 1 } });
    await fleet.state(id, 'RUNNING');
    await fleet.api.POST('/v1/jobs/{job}/cancel', { params: { path: { job: id } }, body: {} });
    await fleet.state(id, 'CANCELLED');
    expect(await member(id)).toMatchObject({ state: 'exited', exitCode: null, signal: 'SIGKILL' });
  });

  it('prints far more than is kept has its output cut, which says so, and succeeds', { timeout }, async () => {
    const id = await fleet.submit({ argv: [process.execPath, '-e', 'const line = "x".repeat(99) + "\\n"; for (let i = 0; i < 200; i++) process.stdout.write(line.repeat(1000))'] });
    await fleet.state(id, 'SUCCEEDED');
    const text = await output(id, 'the member printed more than is kept');
    expect(text).toContain('stdout was cut here');
    expect(text.length).toBeLessThan(2 * logBytesMax); // the bound, and the rank before each line
  });

  it('writes binary and escape sequences has them shown as text that can not move a cursor', { timeout }, async () => {
    const id = await fleet.submit({ argv: [process.execPath, '-e', 'process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0x0a])); console.log("grüße")'] });
    await fleet.state(id, 'SUCCEEDED');
    const text = await output(id, 'grüße');
    expect(text).toContain('\uFFFD\uFFFD\\x00\\x1b[2J');
    expect(text).not.toContain('\x1b');
  });

  it('is ended by a signal says which', { timeout }, async () => {
    const id = await fleet.submit({ argv: shell('kill -SEGV $$') });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended.reason).toContain('SIGSEGV');
    expect(await member(id)).toMatchObject({ state: 'exited', exitCode: null, signal: 'SIGSEGV' });
  });

  it('P9 ends with 0 before the others have started waits for them as a gang, and succeeds with them', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: shell(`[ $RANK = 0 ] || while [ ! -e ${gate.file} ]; do sleep 0.05; done`), members: 3, devicesPerMember: 4 });
    await fleet.when(id, 'with one member gone', (job) => job.members.gone === 1);
    await fleet.state(id, 'RUNNING');
    const rows = await fleet.db.selectFrom('allocation').select('rank').distinct().where('job_id', '=', id).execute();
    expect(rows).toHaveLength(3); // law 2: a gang holds all of its devices, or none
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
  });

  it('fails in one member takes its gang down with it', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: shell(`[ $RANK != 1 ] || exit 9; while [ ! -e ${gate.file} ]; do sleep 0.05; done`), members: 3 });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended.reason).toContain('exited with 9');
    expect((await fleet.attempt(id)).members.map(({ exitCode, signal }) => exitCode ?? signal)).toEqual(['SIGTERM', 9, 'SIGTERM']);
  });

  it.each([
    ['is missing', { argv: ['/no/such/program'] }, 'spawn_failed'],
    ['is a folder', { argv: ['/tmp'] }, 'spawn_failed'],
    ['has no working directory', { argv: ['/bin/true'], workingDirectory: '/no/such/folder' }, 'working_directory_missing'],
  ] as const)('%s is refused by every node it is tried on, and the job fails by its budget', { timeout }, async (_what, spec, code) => {
    const id = await fleet.submit({ argv: [...spec.argv], ...('workingDirectory' in spec ? { workingDirectory: spec.workingDirectory } : {}), retry: { infrastructureFailures: 1, backoffSeconds: 0 } });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended).toMatchObject({ attempts: 2, budgets: { infrastructureFailures: { used: 2, max: 1 }, userFailures: { used: 0 } } });
    expect(await member(id)).toMatchObject({ state: 'refused', refusal: code });
  });

  describe('left checkpoints', () => {
    /** Trains to two commits at least, then damages what is on disk and fails, so that a restart must read it. */
    async function trainAndDamage(damage: (files: string[]) => void, all: boolean): Promise<{ id: string; steps: string[] }> {
      const gate = fleet.gate();
      const id = await fleet.submit({ argv: program('trainer.ts', gate.file, '50'), members: 2, retry: { userFailures: 1, infrastructureFailures: 3, backoffSeconds: 0 } });
      await until('two commits', async () => (await fleet.checkpoints(id)).length >= 2, 30_000);
      const victims = fleet.programs({ job: id });
      for (const { pid } of victims) process.kill(pid, 'SIGSTOP'); // nothing is committed while the damage is done
      const commits = (await fleet.checkpoints(id)).sort((a, b) => Number(b.step) - Number(a.step));
      for (const { dir, step } of all ? commits : commits.slice(0, 1)) damage(shardsOf(dir, step));
      for (const { pid } of victims) process.kill(pid, 'SIGKILL');
      gate.open();
      return { id, steps: commits.map(({ step }) => step) };
    }
    const shardsOf = (dir: string, step: string): string[] => {
      const folder = path.join(fleet.checkpointRoot, dir, `step-${step}`);
      return readdirSync(folder).filter((name) => name.endsWith('.bin')).map((name) => path.join(folder, name));
    };

    it.each([
      ['torn', (files: string[]) => truncateSync(files[0] ?? '', 3)],
      ['altered', (files: string[]) => writeFileSync(files[0] ?? '', 'Rank 0 at step X'.padEnd(20))],
      ['deleted', (files: string[]) => files.forEach((file) => rmSync(file))],
    ] as const)('the last of which is %s goes on one commit back, and the checkpoint says why', { timeout }, async (_how, damage) => {
      const { id, steps } = await trainAndDamage(damage, false);
      await fleet.state(id, 'SUCCEEDED');
      const checkpoints = await fleet.checkpoints(id);
      const bad = checkpoints.find(({ step }) => step === steps[0]);
      expect(bad).toMatchObject({ state: 'BAD', isCurrent: false, badReason: expect.stringContaining('rank-') as unknown });
      const text = await output(id, `starts at step ${steps[1]} of epoch`);
      expect(text).not.toContain(`starts at step ${steps[0]} `);
      expect(text.match(/starts at step 0 of/g)).toHaveLength(2); // both ranks, in the first attempt only
    });

    it('none of which can be read fails, and never starts at step 0', { timeout }, async () => {
      const { id } = await trainAndDamage((files) => files.forEach((file) => truncateSync(file, 1)), true);
      const ended = await fleet.state(id, 'FAILED', 40_000);
      expect(ended.reason).toContain('none of them can be read');
      expect(ended.checkpoint).toMatchObject({ id: null });
      expect((await fleet.checkpoints(id)).every(({ state }) => state === 'BAD')).toBe(true);
      const starts = (await fleet.logs(id)).match(/starts at step 0 of/g);
      expect(starts).toHaveLength(2);
    });
  });
});
