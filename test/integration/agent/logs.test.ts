import { writeFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MemberKey } from '#services/fleet/model.ts';
import type { LogChunk } from '#services/logs/model.ts';
import { openAgentWorld, read, until, type AgentProcess, type AgentWorld } from './agent-world.ts';
import { shell } from './control-plane.ts';

let world: AgentWorld;
let agent: AgentProcess;

beforeEach(async () => {
  world = await openAgentWorld();
  agent = await world.startAgent();
});
afterEach(async () => {
  try {
    await until('no process is left behind', () => world.processes().length === 0);
  } finally {
    await world.close();
  }
});

const bytesOf = (chunks: LogChunk[], stream: string): Buffer =>
  Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map(({ text }) => Buffer.from(text, 'base64')));

const logsOf = (key: MemberKey): Promise<LogChunk[]> => until('the end of both streams', () => {
  const chunks = world.plane.logs(key);
  return chunks.filter(({ end }) => end).length === 2 && chunks;
});

async function run(script: string, logBytesMax = '1000000'): Promise<MemberKey> {
  const key = world.member();
  world.plane.start(key, shell(script, { logBytesMax }));
  await until('its exit', () => world.plane.seen(key)?.state === 'exited', 20_000);
  return key;
}

it('both streams are published to their last byte, with offsets, and end', async () => {
  const key = await run('echo out; echo err >&2; sleep 0.4; printf more');
  const chunks = await logsOf(key);
  expect(bytesOf(chunks, 'stdout').toString()).toBe('out\nmore');
  expect(bytesOf(chunks, 'stderr').toString()).toBe('err\n');
  expect(chunks.filter(({ end }) => end).map(({ stream, offset }) => [stream, offset])).toEqual([['stdout', '8'], ['stderr', '4']]);
});

it('binary output arrives byte for byte', async () => {
  const key = await run(`${process.execPath} -e 'const b = Buffer.alloc(200000, 0); for (let i = 0; i < b.length; i += 1) b[i] = (i * 7) % 256; process.stdout.write(b)'`);
  const bytes = bytesOf(await logsOf(key), 'stdout');
  expect(bytes.length).toBe(200_000);
  expect(bytes.every((byte, index) => byte === (index * 7) % 256)).toBe(true);
});

it('20 MB are cut at the bound, say so once, block nothing and don’t fill the disk', async () => {
  const key = world.member();
  const gate = path.join(world.dir, 'gate');
  world.plane.start(key, shell(`head -c 20000000 /dev/zero; while [ ! -e ${gate} ]; do sleep 0.05; done; echo late; exit 3`, { logBytesMax: '100000' }));
  const file = path.join(world.folder(key), 'stdout');
  await until('the rest is dropped', () => read(path.join(world.folder(key), 'logs.json')).includes('"isCut":true') && statSync(file).size === 0);
  writeFileSync(gate, '');
  await until('its exit', () => world.plane.seen(key)?.state === 'exited');
  expect(world.plane.seen(key)).toMatchObject({ exitCode: 3 });
  const chunks = await logsOf(key);
  expect(bytesOf(chunks, 'stdout').length).toBe(100_000);
  expect(chunks.filter(({ truncated }) => truncated)).toMatchObject([{ stream: 'stdout', offset: '100000', text: '' }]);
});

it('an agent killed while its member prints neither loses nor doubles a line', async () => {
  const key = world.member();
  world.plane.start(key, shell('i=0; while [ $i -lt 400 ]; do echo line $i; i=$((i+1)); sleep 0.005; done'));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  for (let kill = 0; kill < 3; kill += 1) {
    const published = read(path.join(world.folder(key), 'logs.json'));
    await until('something more is published', () => read(path.join(world.folder(key), 'logs.json')) !== published || world.plane.seen(key)?.state === 'exited');
    await agent.kill('SIGKILL');
    agent = await world.startAgent();
  }
  await until('its exit', () => world.plane.seen(key)?.state === 'exited', 20_000);
  expect(bytesOf(await logsOf(key), 'stdout').toString()).toBe(Array.from({ length: 400 }, (_, line) => `line ${line}\n`).join(''));
});
