import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { stopProcess } from '#infra/stack/pid-file.ts';
import { identify, isAlive, parseStat, readStat } from '#infra/stack/process-identity.ts';

const stopped = { name: 'sleep', order: 1, stopSignal: 'SIGTERM', stopTimeoutMs: 5_000 } as const;

it('a process name with spaces and parentheses does not shift the fields', () => {
  const after = Array.from({ length: 40 }, (_, index) => String(index + 4)).join(' ');
  expect(parseStat(`77 (a) b (c) S ${after}`)).toEqual({ state: 'S', parent: 4, group: 5, startTicks: '22' });
});

it('a recycled process number is another process, and is never signalled', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error('sleep has ended');
  const predecessor = { ...identity, startTicks: String(Number(identity.startTicks) - 1) };
  expect(isAlive(identity)).toBe(true);
  expect(isAlive(predecessor)).toBe(false);
  await stopProcess({ ...predecessor, ...stopped });
  expect(isAlive(identity)).toBe(true);
  await stopProcess({ ...identity, ...stopped });
  expect(isAlive(identity)).toBe(false);
});

it('the same number and start time of another boot is another process', () => {
  const identity = identify(process.pid);
  expect(identity && isAlive({ ...identity, bootId: 'another-boot' })).toBe(false);
});

it('a zombie counts as gone', async () => {
  // the shell becomes `sleep`, which never waits for its ended child
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [text] = await once(parent.stdout, 'data') as [Buffer];
  const zombie = Number(text.toString());
  try {
    await expect.poll(() => readStat(zombie)?.state).toBe('Z');
    expect(identify(zombie)).toBeUndefined();
  } finally {
    parent.kill('SIGKILL');
  }
});

it('a process that ignores SIGTERM is killed when its time is over', async () => {
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await once(child.stdout, 'data');
  const identity = identify(child.pid ?? 0);
  if (!identity) throw new Error('the shell has ended');
  await stopProcess({ ...identity, ...stopped, stopTimeoutMs: 100 });
  expect(isAlive(identity)).toBe(false);
});
