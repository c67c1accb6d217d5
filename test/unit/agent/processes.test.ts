import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { controlPath, prepareControlFolder } from '#services/agent/control-path.ts';
import { identify, isAlive, parseStat } from '#services/agent/process-table.ts';

it('a process name with parentheses and spaces doesn’t shift the fields', () => {
  expect(parseStat('42 (a) R (b) S 7 40 39 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 0 0')).toEqual({ state: 'S', parent: 7, group: 40, session: 39, startTicks: '12345' });
});

it('a zombie counts as gone, and a pid with another start time is another process', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sh -c "echo \\$\\$; exit" & exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const zombie = Number(await new Promise<string>((resolve) => parent.stdout.once('data', (text: Buffer) => resolve(text.toString()))));
  await expect.poll(() => identify(zombie)).toBeUndefined();
  const own = identify(process.pid);
  expect(own && isAlive(own)).toBe(true);
  expect(own && isAlive({ ...own, startTicks: '1' })).toBe(false);
  parent.kill('SIGKILL');
});

it('a control socket’s path fits, however long the data folder’s is, and is the same each time', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'run-'));
  const deep = path.join(dir, 'x'.repeat(150));
  const [first, second] = [prepareControlFolder(deep), prepareControlFolder(deep)];
  const file = controlPath(first, { job: 'job_00000000000000000000000001', epoch: '9223372036854775807', rank: 4_095 });
  expect(Buffer.byteLength(file)).toBeLessThan(108);
  expect(second).toBe(first);
  rmSync(first, { recursive: true });
  rmSync(dir, { recursive: true });
});
