import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLock } from '../../../infra/setup/lock.js';

let dir: string;
beforeEach(() => { dir = mkdtempSync(path.join(os.tmpdir(), 'muster-lock-')); });
afterEach(() => { rmSync(dir, { recursive: true, force: true }); });

it('set-ups that start at once run one after the other', async () => {
  const file = path.join(dir, 'lock');
  let inside = 0;
  let most = 0;
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, async () => {
    most = Math.max(most, ++inside);
    await delay(10);
    inside--;
  })));
  expect(most).toBe(1);
  expect(existsSync(file)).toBe(false);
});

it('the lock of a holder that died is taken over by exactly one', async () => {
  const file = path.join(dir, 'lock');
  // process 1 lives, but started at another time: its number was recycled
  writeFileSync(file, JSON.stringify({ pid: 1, started: '-1', nonce: 'dead' }));
  let most = 0;
  let inside = 0;
  await Promise.all(Array.from({ length: 5 }, () => withLock(file, async () => {
    most = Math.max(most, ++inside);
    await delay(10);
    inside--;
  })));
  expect(most).toBe(1);
});

it('work that fails gives the lock free', async () => {
  const file = path.join(dir, 'lock');
  await expect(withLock(file, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(existsSync(file)).toBe(false);
});
