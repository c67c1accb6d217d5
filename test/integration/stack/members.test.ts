import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endMembers, memberProcesses } from '#infra/stack/members.ts';

let home: string;
beforeEach(() => { home = mkdtempSync(path.join(os.tmpdir(), 'muster-home-')); });
afterEach(async () => {
  await endMembers(home);
  rmSync(home, { recursive: true, force: true });
});

/** Starts a member under the agent's real wrapper, as `node` of this home. */
async function startMember(script: string): Promise<string> {
  const folder = path.join(home, 'data/agents/node-1/members/job');
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env['PATH'] ?? '', MUSTER_JOB: 'job_1', MUSTER_CHECKPOINT_DIR: path.join(home, 'data/checkpoints/job_1') };
  writeFileSync(path.join(folder, 'spawn.json'), JSON.stringify({
    argv: ['/bin/sh', '-c', script], env, cwd: '/', marks: { job: 'job_1', epoch: '1', rank: 0 }, leaseFile: null,
  }));
  const wrapper = path.join(import.meta.dirname, '../../../services/agent/wrapper.js');
  spawn(process.execPath, [wrapper, folder], { detached: true, stdio: 'ignore', env: { PATH: env.PATH, MUSTER_MEMBER_FOLDER: folder } }).unref();
  await expect.poll(() => existsSync(path.join(folder, 'stdout')) && readFileSync(path.join(folder, 'stdout'), 'utf8'), { timeout: 5_000 }).toContain('started');
  return folder;
}

it('a program that answers SIGTERM with exit 0 is not recorded as succeeded when the stack goes down', async () => {
  const folder = await startMember('trap "exit 0" TERM; echo started; while :; do sleep 0.05; done');
  await endMembers(home);
  expect(memberProcesses(home)).toEqual([]);
  expect(existsSync(path.join(folder, 'exit.json'))).toBe(false);
});

it('a program that ignores SIGTERM, and its detached child, end with the stack', async () => {
  await startMember('trap "" TERM; setsid sh -c "trap \\"\\" TERM; while :; do sleep 0.05; done" & echo started; while :; do sleep 0.05; done');
  expect(memberProcesses(home).filter(({ kind }) => kind === 'member').length).toBeGreaterThanOrEqual(2);
  await endMembers(home);
  expect(memberProcesses(home)).toEqual([]);
}, 15_000);

it('the job processes of another home are left alone', async () => {
  await startMember('echo started; while :; do sleep 0.05; done');
  await endMembers(`${home}-other`);
  expect(memberProcesses(home)).not.toEqual([]);
});
