import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endParts } from '#infra/stack/end-parts.ts';
import { keepRunning } from '#infra/stack/keep-running.ts';
import { createLayout, type Layout } from '#infra/stack/layout.ts';
import type { Part } from '#infra/stack/part.ts';
import { livingParts, readPidFile } from '#infra/stack/pid-file.ts';
import { startProcess, type ProcessSpec, type Running } from '#infra/stack/process.ts';

let layout: Layout;
beforeEach(() => { layout = createLayout(mkdtempSync(path.join(os.tmpdir(), 'muster-home-'))); });
afterEach(async () => {
  await endParts(layout);
  rmSync(layout.home, { recursive: true, force: true });
});

/** A role whose program is `script`. */
function role(script: string, readyTimeoutMs = 10_000): ProcessSpec {
  const file = path.join(layout.home, 'role.mjs');
  writeFileSync(file, script);
  return {
    name: 'role', program: process.execPath, args: [file], env: { PATH: process.env['PATH'] }, order: 10,
    stopSignal: 'SIGTERM', stopTimeoutMs: 1_000, readyTimeoutMs, ready: 'message',
  };
}

const serving = 'process.send({ ready: true }); setInterval(() => {}, 1_000);';

function supervise(first: Running, spec: ProcessSpec): { part: Part; loop: Promise<void>; stop: () => void } {
  const part: Part = { name: 'role', kind: 'role', state: 'ready', address: null, pid: first.record.pid, restarts: 0, detail: null };
  const stopping = new AbortController();
  return { part, stop: () => stopping.abort(), loop: keepRunning(part, first, () => startProcess(layout, spec), () => undefined, stopping.signal) };
}

it('a part that ends before it is ready is reported with the last lines of its log', async () => {
  await expect(startProcess(layout, role('console.error("no such key"); process.exit(3);'))).rejects.toMatchObject({
    message: expect.stringMatching(/role: ended with 3 before it was ready[^]*no such key/) as string,
    remedy: expect.stringContaining(path.join(layout.logs, 'role.log')) as string,
  });
  expect(livingParts(layout.run)).toEqual([]);
});

it('a part that stays silent is ended and reported', async () => {
  await expect(startProcess(layout, role('setInterval(() => {}, 1_000);', 500))).rejects.toThrow('role: not ready after 0.5 s');
  expect(livingParts(layout.run)).toEqual([]);
});

it('a role that lets go before it is ready is reported without waiting for the time-out', async () => {
  await expect(startProcess(layout, role('process.disconnect(); setInterval(() => {}, 1_000);', 60_000))).rejects.toThrow('gave up');
  expect(livingParts(layout.run)).toEqual([]);
});

it('a program that is not there is reported', async () => {
  await expect(startProcess(layout, { ...role(serving), program: '/nonexistent/node' })).rejects.toThrow(/can't start \/nonexistent\/node/);
});

it('a killed role is started again as another process', async () => {
  const spec = role(serving);
  const first = await startProcess(layout, spec);
  const { part, loop, stop } = supervise(first, spec);
  process.kill(first.record.pid, 'SIGKILL');
  await expect.poll(() => part.restarts, { timeout: 5_000 }).toBe(1);
  expect(part).toMatchObject({ state: 'ready', detail: null });
  expect(part.pid).not.toBe(first.record.pid);
  expect(readPidFile(layout.run, 'role')?.pid).toBe(part.pid);
  stop();
  await endParts(layout);
  await loop;
});

it('a role that was stopped on purpose stays stopped', async () => {
  const spec = role(`process.on('SIGTERM', () => process.exit(0)); ${serving}`);
  const first = await startProcess(layout, spec);
  const { part, loop } = supervise(first, spec);
  process.kill(first.record.pid, 'SIGTERM');
  await loop;
  expect(part).toMatchObject({ state: 'stopped', pid: null, restarts: 0 });
});

it('a role that lets go later but whose process stays is started again', async () => {
  const spec = role(`process.send({ ready: true }); process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000);
    import('node:fs').then(({ existsSync, writeFileSync }) => {
      if (existsSync('${path.join(layout.home, 'once')}')) return;
      writeFileSync('${path.join(layout.home, 'once')}', '');
      setTimeout(() => process.disconnect(), 50);
    });`);
  const { part, loop, stop } = supervise(await startProcess(layout, spec), spec);
  await expect.poll(() => part.restarts, { timeout: 10_000 }).toBe(1);
  stop();
  await endParts(layout);
  await loop;
}, 15_000);

it('what a role prints stands in its log', async () => {
  await startProcess(layout, role(`console.log('to stdout'); console.error('to stderr'); ${serving}`));
  expect(readFileSync(path.join(layout.logs, 'role.log'), 'utf8')).toMatch(/to stdout[^]*to stderr/);
});
