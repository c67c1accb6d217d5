/** kill -9 of agent, wrapper and member at every point: no process doubled, none left, no exit code lost. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { controlPath, prepareControlFolder } from '#services/agent/control-path.ts';
import type { MemberKey } from '#services/fleet/model.ts';
import { openAgentWorld, read, until, type AgentProcess, type AgentWorld } from '#test/integration/agent/agent-world.ts';
import { shell } from '#test/integration/agent/control-plane.ts';

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

const stateOf = (key: MemberKey): string | undefined => world.plane.seen(key)?.state;
const wrapperOf = (): number => world.processes().find(({ kind }) => kind === 'wrapper')?.pid ?? 0;

async function started(script: string, more: Parameters<typeof shell>[1] = {}): Promise<MemberKey> {
  const key = world.member();
  world.plane.start(key, shell(script, more));
  await until('readiness', () => stateOf(key) === 'ready');
  return key;
}

async function stopped(key: MemberKey): Promise<void> {
  world.plane.stop(key, 1_000);
  await until('the end', () => stateOf(key) === 'exited');
}

it('an agent killed in mid-run: its successor adopts the member, whose program sees the same socket', async () => {
  const starts = path.join(world.dir, 'starts');
  const key = await started(`echo start >> ${starts}; exec sleep 600`);
  const before = world.programs();
  await agent.kill('SIGKILL');
  expect(world.programs()).toEqual(before);
  await world.startAgent();
  expect((await world.control(key, 'GET', '/v1/member')).body).toMatchObject({ job: key.job, state: 'running' });
  const from = world.plane.beats.length;
  await until('beats of the successor', () => world.plane.beats.length > from + 3);
  expect(world.plane.beats.at(-1)?.members).toMatchObject([{ ...key, state: 'ready', pid: before[0] }]);
  expect(world.plane.beats.at(-1)?.session).toBe('2');
  expect(read(starts)).toBe('start\n');
  await stopped(key);
});

it('a member that ends while no agent runs: its exit code is told by the successor', async () => {
  const gate = path.join(world.dir, 'gate');
  const key = await started(`while [ ! -e ${gate} ]; do sleep 0.02; done; exit 42`);
  await agent.kill('SIGKILL');
  writeFileSync(gate, '');
  await until('the program and its wrapper end', () => world.processes().length === 0);
  await world.startAgent();
  await until('its exit', () => stateOf(key) === 'exited');
  expect(world.plane.seen(key)).toMatchObject({ exitCode: 42, signal: null });
});

it('a stop ordered before the kill holds its deadline across the restart', async () => {
  const key = await started('trap "" TERM; while :; do sleep 0.05; done');
  world.plane.stop(key, 1_500);
  await until('the order is known', () => read(path.join(world.folder(key), 'stop.json')) !== '');
  await agent.kill('SIGKILL');
  world.plane.isAway = true; // the order is not repeated to the successor
  await world.startAgent();
  await until('its end', () => world.programs().length === 0);
  world.plane.isAway = false;
  await until('its exit', () => stateOf(key) === 'exited');
  expect(world.plane.seen(key)).toMatchObject({ signal: 'SIGKILL' });
});

it('readiness that was said before the kill is still known', async () => {
  const key = world.member();
  world.plane.start(key, shell('exec sleep 600', { readiness: 'signal' }));
  await until('its socket', () => stateOf(key) === 'accepted');
  await world.control(key, 'POST', '/v1/ready', {});
  await until('readiness', () => stateOf(key) === 'ready');
  await agent.kill('SIGKILL');
  await world.startAgent();
  const from = world.plane.beats.length;
  await until('beats of the successor', () => world.plane.beats.length > from + 2);
  expect(world.plane.history(key)).toEqual(['accepted', 'ready']);
  await stopped(key);
});

/** What an agent leaves that is killed when the record is durable and the wrapper not yet started. */
function leaveRecord(key: MemberKey, file: string): string {
  const folder = world.folder(key);
  mkdirSync(path.join(folder, 'work'), { recursive: true });
  const bootId = read('/proc/sys/kernel/random/boot_id').trim();
  const control = controlPath(prepareControlFolder(path.join(world.dir, 'data/s')), key);
  writeFileSync(path.join(folder, 'spawn.json'), JSON.stringify({
    argv: ['/bin/sh', '-c', `echo start >> ${file}; exec sleep 600`], env: { MUSTER_JOB: key.job, MUSTER_EPOCH: key.epoch, MUSTER_RANK: String(key.rank), MUSTER_CONTROL: control, PATH: process.env['PATH'] },
    cwd: path.join(folder, 'work'), marks: key, leaseFile: null,
  }));
  writeFileSync(path.join(folder, 'record.json'), JSON.stringify({
    bootId, worldSize: 1, devices: [], port: 25_000, readiness: 'start', exclusive: false, resume: null, controlPath: control, logBytesMax: '100000',
  }));
  return folder;
}

const runWrapper = (folder: string) => spawn(process.execPath, [path.resolve('services/agent/wrapper.js'), folder],
  { detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'], MUSTER_MEMBER_FOLDER: folder } });

it('P6 an agent killed between record and spawn: the member is gone, and no later wrapper starts it', async () => {
  await agent.kill('SIGKILL');
  const key = world.member();
  const file = path.join(world.dir, 'starts');
  const folder = leaveRecord(key, file);
  world.plane.acknowledges = false;
  world.plane.start(key, shell(`echo second >> ${file}`));
  await world.startAgent();
  await until('gone', () => stateOf(key) === 'gone');
  const late = runWrapper(folder);
  await new Promise((resolve) => late.once('exit', resolve));
  expect(read(file)).toBe('');
  expect(world.plane.history(key)).toEqual(['gone']);
});

it('P6 an agent killed right after the spawn: the wrapper goes on and the successor adopts its member', async () => {
  await agent.kill('SIGKILL');
  const key = world.member();
  const file = path.join(world.dir, 'starts');
  runWrapper(leaveRecord(key, file));
  world.plane.start(key, shell(`echo second >> ${file}`));
  await world.startAgent();
  await until('readiness', () => stateOf(key) === 'ready');
  expect(read(file)).toBe('start\n');
  await stopped(key);
});

it('P6 of many wrappers of one member, one starts it', async () => {
  await agent.kill('SIGKILL');
  const key = world.member();
  const file = path.join(world.dir, 'starts');
  const folder = leaveRecord(key, file);
  await Promise.all([1, 2, 3, 4].map(async () => {
    const wrapper = runWrapper(folder);
    await Promise.race([new Promise((resolve) => wrapper.once('exit', resolve)), until('it runs', () => read(path.join(folder, 'pid.json')) !== '')]);
  }));
  await world.startAgent();
  await until('its report', () => stateOf(key) === 'ready');
  await until('what it wrote', () => read(file) !== '');
  expect(read(file)).toBe('start\n');
  await stopped(key);
});

it('a wrapper killed: the member’s processes are killed, then it is gone', async () => {
  const key = await started('setsid sleep 600 & exec sleep 600');
  process.kill(wrapperOf(), 'SIGKILL');
  await until('gone', () => stateOf(key) === 'gone');
  expect(world.programs()).toEqual([]);
});

it('agent and wrapper killed together: the successor finds the member by its environment', async () => {
  const key = await started('exec sleep 600');
  const wrapper = wrapperOf();
  await agent.kill('SIGKILL');
  process.kill(wrapper, 'SIGKILL');
  rmSync(path.join(world.folder(key), 'pid.json'));
  expect(world.programs()).toHaveLength(1);
  await world.startAgent();
  await until('gone', () => stateOf(key) === 'gone');
  expect(world.programs()).toEqual([]);
});

it('torn files of a crash are passed over', async () => {
  const key = await started('exec sleep 600');
  await agent.kill('SIGKILL');
  for (const name of ['stop.json', 'outcome.json', 'logs.json', 'pid.json.draft', 'record.json.99.draft']) writeFileSync(path.join(world.folder(key), name), '{"deadli');
  for (const name of ['cluster.json', 'lease.json', 'agent.json']) writeFileSync(path.join(world.dir, 'data', name), '');
  mkdirSync(path.join(world.dir, 'data/members/not-a-job/x/y'), { recursive: true });
  mkdirSync(world.folder(world.member()), { recursive: true });
  await world.startAgent();
  const from = world.plane.beats.length;
  await until('beats of the successor', () => world.plane.beats.length > from + 2);
  expect(world.plane.beats.at(-1)?.members).toMatchObject([{ ...key, state: 'ready' }]);
  expect(world.plane.beats.at(-1)?.members).toHaveLength(1);
  await stopped(key);
});

it('P10 after a boot the members of the boot before are gone, and what still carries their marks is killed', async () => {
  const key = await started('exec sleep 600');
  await agent.kill('SIGKILL');
  await world.startAgent({ MUSTER_AGENT_BOOT_ID: 'another-boot' });
  await until('gone', () => stateOf(key) === 'gone');
  expect(world.plane.beats.at(-1)?.bootId).toBe('another-boot');
});

it('P20 an exclusive member is killed when the lease ends, though the agent is dead', async () => {
  const key = await started('trap "" TERM; setsid sleep 600 & while :; do sleep 0.05; done', { exclusive: true });
  await agent.kill('SIGKILL');
  await until('its end', () => world.processes().length === 0, 3_000);
  await world.startAgent();
  await until('its exit', () => stateOf(key) === 'exited');
  expect(world.plane.seen(key)).toMatchObject({ signal: 'SIGKILL' });
});

it('P20 an exclusive member runs on while beats renew the lease, and ends when the control plane is silent', async () => {
  const key = await started('exec sleep 600', { exclusive: true });
  await delay(2_500); // two and a half leases
  expect(world.programs()).toHaveLength(1);
  world.plane.isAway = true;
  await until('its end', () => world.programs().length === 0, 3_000);
  world.plane.isAway = false;
  await until('its exit', () => stateOf(key) === 'exited');
});

it('kills of the agent at random moments of a short job’s life never start it twice nor lose its exit', async () => {
  const file = path.join(world.dir, 'starts');
  for (let round = 0; round < 8; round += 1) {
    const key = world.member();
    world.plane.start(key, shell(`echo ${key.job} >> ${file}; sleep 0.1; exit 7`));
    world.plane.nudge();
    await delay(round * 25);
    await agent.kill('SIGKILL');
    agent = await world.startAgent();
    const seen = await until('its end', () => { const last = world.plane.seen(key); return last !== undefined && (last.state === 'exited' || last.state === 'gone') && last; });
    const count = read(file).split('\n').filter((line) => line === key.job).length;
    expect(seen.state === 'gone' ? count : [count, 'exitCode' in seen ? seen.exitCode : undefined]).toEqual(seen.state === 'gone' ? 0 : [1, 7]);
  }
}, 60_000);
