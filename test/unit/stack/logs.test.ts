import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cutLog } from '#infra/stack/logs.ts';

let dir: string;
beforeEach(() => { dir = mkdtempSync(path.join(os.tmpdir(), 'muster-logs-')); });
afterEach(() => { rmSync(dir, { recursive: true, force: true }); });

it('a log that is too large goes on empty, for the process that has it open too, and its content is kept once', () => {
  const file = path.join(dir, 'role.log');
  const log = openSync(file, 'a');
  writeSync(log, 'old line\n');
  cutLog(file, 5);
  writeSync(log, 'new line\n');
  closeSync(log);
  expect(readFileSync(file, 'utf8')).toBe('new line\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('old line\n');
});

it('a log below its bound is left alone', () => {
  const file = path.join(dir, 'role.log');
  const log = openSync(file, 'a');
  writeSync(log, 'line\n');
  closeSync(log);
  cutLog(file, 5);
  expect(readFileSync(file, 'utf8')).toBe('line\n');
});

it('a log that does not exist yet is no error', () => {
  expect(() => cutLog(path.join(dir, 'none.log'))).not.toThrow();
});
