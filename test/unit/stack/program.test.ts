import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { majorOf, parseVersion, programOnPath } from '#infra/stack/program.ts';

let dir: string;
beforeEach(() => { dir = mkdtempSync(path.join(os.tmpdir(), 'muster-path-')); });
afterEach(() => { rmSync(dir, { recursive: true, force: true }); });

function put(name: string, answer: string): void {
  writeFileSync(path.join(dir, name), `#!/bin/sh\necho '${answer}'\n`);
  chmodSync(path.join(dir, name), 0o755);
}

it.each([
  ['postgres (PostgreSQL) 18.4', '18.4', 18],
  ['postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)', '15.18', 15],
  ['postgres (PostgreSQL) 18beta2', '18', 18],
  ['nats-server: v2.15.1', '2.15.1', 2],
  ['temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)', '1.9.1', 1],
])('the version in %j is %s', (text, version, major) => {
  expect(parseVersion(text)).toBe(version);
  expect(majorOf(version)).toBe(major);
});

it('an answer without a number has no version', () => {
  expect(parseVersion('usage: postgres [OPTION]...')).toBeUndefined();
});

it('a Postgres of another major on PATH does not count', () => {
  put('initdb', 'initdb (PostgreSQL) 15.18');
  put('postgres', 'postgres (PostgreSQL) 15.18');
  expect(programOnPath('postgres', dir)).toBeUndefined();
});

it('a Postgres 18 without initdb beside it does not count', () => {
  put('postgres', 'postgres (PostgreSQL) 18.1');
  expect(programOnPath('postgres', dir)).toBeUndefined();
});

it('a program of the pinned major on PATH is used', () => {
  put('nats-server', 'nats-server: v2.11.4');
  expect(programOnPath('nats', `/nonexistent:${dir}`)).toEqual({ file: path.join(dir, 'nats-server'), version: '2.11.4', from: 'PATH' });
});
