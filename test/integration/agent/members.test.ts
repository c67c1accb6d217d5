import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { StopItem } from '#services/fleet/model.ts';
import { openAgentWorld, read, until, type AgentProcess, type AgentWorld } from './agent-world.ts';
import { shell } from './control-plane.ts';

let world: AgentWorld;
let agent: AgentProcess;

beforeAll(async () => {
  world = await openAgentWorld();
  agent = await world.startAgent();
});
afterEach(async () => {
  await until('no process is left behind', () => world.processes().length === 0);
});
afterAll(async () => { await world.close(); });

it('P1 the first beat has no session, the next carries the one that the hello issued', async () => {
  await until('a current beat', () => world.plane.beats[0]);
  expect(world.plane.heard.slice(0, 2).map(({ session, sequence }) => ({ session, sequence }))).toEqual([{ session: '0', sequence: 1 }, { session: '1', sequence: 2 }]);
  expect(world.plane.beats[0]).toMatchObject({ credentialVersion: 7, clusterId: 'cluster-of-the-test', facts: { topology: { zone: 'a', rack: 'r1' }, devices: { length: 8 } } });
});

it('P2 sequences rise by one, and facts are not repeated once they were answered', async () => {
  const beats = await until('beats', () => world.plane.beats.length > 3 && world.plane.beats.slice(0, 4));
  expect(beats.map(({ sequence }) => sequence - (beats[0]?.sequence ?? 0))).toEqual([0, 1, 2, 3]);
  expect(beats[1]?.facts).toBeUndefined();
});

it('a member gets the environment of torchrun and of Muster, and nothing of the agent’s secrets', async () => {
  const key = world.member();
  const file = path.join(world.dir, 'environment');
  world.plane.start(key, shell(`env > ${file}`, { env: { MY: 'own', RANK: '99', MUSTER_RESUME_DIR: '/etc' }, worldSize: 3, localRank: 1, devices: [2, 5] }));
  await until('its exit', () => world.plane.seen(key)?.state === 'exited');
  const env = Object.fromEntries(read(file).trim().split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  expect(env).toMatchObject({
    MY: 'own', RANK: '0', WORLD_SIZE: '3', LOCAL_RANK: '1', MASTER_ADDR: '127.0.0.1', CUDA_VISIBLE_DEVICES: '2,5',
    MUSTER_JOB: key.job, MUSTER_EPOCH: '1', MUSTER_RANK: '0', MUSTER_CHECKPOINT_DIR: path.join(world.checkpointRoot, key.job, '1'),
  });
  expect(Number(env['MASTER_PORT'])).toBeGreaterThan(1_023);
  expect(Object.keys(env).filter((name) => /TOKEN|RESUME|NATS/.test(name))).toEqual([]);
});

it('rank 0 tells its address and port with its acceptance; another rank waits for them', async () => {
  const first = world.member();
  const second = { ...first, rank: 1 };
  const file = path.join(world.dir, 'master');
  world.plane.start(second, shell(`echo $MASTER_ADDR:$MASTER_PORT > ${file}`));
  world.plane.start(first, shell('exec sleep 600'));
  const seen = await until('acceptance', () => world.plane.seen(first));
  expect(seen).toMatchObject({ address: '127.0.0.1' });
  expect(world.plane.seen(second)).toBeUndefined();
  const port = seen.state === 'accepted' || seen.state === 'ready' ? seen.port : 0;
  world.plane.start(second, shell(`echo $MASTER_ADDR:$MASTER_PORT > ${file}`, { master: { address: '10.1.2.3', port } }));
  await until('its exit', () => world.plane.seen(second)?.state === 'exited');
  expect(read(file)).toBe(`10.1.2.3:${port}\n`);
  world.plane.stop(first, 2_000);
  await until('the end', () => world.plane.seen(first)?.state === 'exited');
});

it.for([['exit 0', 0, null], ['exit 3', 3, null], ['kill -9 $$', null, 'SIGKILL'], ['kill -SEGV $$', null, 'SIGSEGV']] as const)('%s is reported as it was', async ([script, exitCode, signal]) => {
  const key = world.member();
  world.plane.start(key, shell(script));
  expect(await until('its exit', () => { const seen = world.plane.seen(key); return seen?.state === 'exited' && seen; })).toMatchObject({ exitCode, signal });
});

it('a member is accepted, then ready, then exited; with readiness by signal only once it says so', async () => {
  const key = world.member();
  world.plane.start(key, shell('exec sleep 600', { readiness: 'signal' }));
  await until('acceptance with its process', () => { const seen = world.plane.seen(key); return seen?.state === 'accepted' && seen.pid > 0; });
  expect((await world.control(key, 'POST', '/v1/ready', {})).status).toBe(200);
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  world.plane.stop(key, 2_000);
  await until('the end', () => world.plane.seen(key)?.state === 'exited');
  expect(world.plane.history(key)).toEqual(['accepted', 'ready', 'exited']);
});

it('a stop tells the program why and until when, and kills what ignores it at the deadline', async () => {
  const key = world.member();
  world.plane.start(key, shell('trap "" TERM; while :; do sleep 0.05; done'));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  const told = world.control(key, 'GET', '/v1/stop?waitMs=10000');
  world.plane.stop(key, 700, 'drain');
  const { body } = await told;
  expect(body).toMatchObject({ state: 'stopping', stop: { reason: 'drain' } });
  const deadlineMs = Date.parse((body['stop'] as { deadlineAt: string }).deadlineAt);
  expect(await until('its end', () => { const seen = world.plane.seen(key); return seen?.state === 'exited' && seen; })).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  expect(Date.now()).toBeGreaterThanOrEqual(deadlineMs);
});

it('a stop leaves a child that saves until the deadline, though its parent is gone', async () => {
  const key = world.member();
  const file = path.join(world.dir, 'saved');
  world.plane.start(key, shell(`(trap "sleep 0.4; echo saved > ${file}; exit 0" TERM; while :; do sleep 0.05; done) & trap "exit 0" TERM; wait`));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready' && world.programs().length > 1);
  world.plane.stop(key, 5_000);
  await until('its end', () => world.plane.seen(key)?.state === 'exited');
  expect(read(file)).toBe('saved\n');
});

it.for([
  ['forks and detaches into a session of its own', 'setsid sleep 600 & sleep 0.2'],
  ['detaches with an ignored SIGTERM and exits', 'setsid sh -c \'trap "" TERM; while :; do sleep 0.1; done\' & exit 0'],
  ['forks with an empty environment', 'env -i sleep 600 & exit 0'],
])('a member that %s leaves nothing behind, and is over only then', async ([, script]) => {
  const key = world.member();
  world.plane.start(key, shell(script ?? ''));
  await until('its exit', () => world.plane.seen(key)?.state === 'exited');
  expect(world.programs()).toEqual([]);
});

it('P5 a start of a member that was accepted never starts it a second time', async () => {
  const key = world.member();
  const file = path.join(world.dir, 'starts');
  world.plane.change = (answer) => ({ ...answer, run: [...answer.run, ...[0, 1].map(() => ({ ...key, order: 'start' as const, launch: shell(`echo start >> ${file}; exec sleep 600`) }))] });
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  const count = world.plane.beats.length;
  await until('more answers', () => world.plane.beats.length > count + 3);
  world.plane.change = (answer) => answer;
  expect(read(file)).toBe('start\n');
  world.plane.stop(key, 2_000);
  await until('the end', () => world.plane.seen(key)?.state === 'exited');
});

it('P5 a member that it is told to keep, and doesn’t know, is reported gone and not started', async () => {
  const key = world.member();
  world.plane.keep(key, shell('exec sleep 600'));
  await until('gone', () => world.plane.seen(key)?.state === 'gone');
  expect(world.plane.history(key)).toEqual(['gone']);
});

it('P7 a stop for an unknown member is answered with gone, and blocks a start that comes late', async () => {
  const key = world.member();
  world.plane.acknowledges = false;
  world.plane.stop(key, 1_000);
  await until('gone', () => world.plane.seen(key)?.state === 'gone');
  world.plane.start(key, shell('exec sleep 600'));
  const count = world.plane.beats.length;
  await until('more answers', () => world.plane.beats.length > count + 3);
  expect(world.plane.history(key)).toEqual(['gone']);
  world.plane.acknowledges = true;
  world.plane.forget(key);
  await until('forgotten', () => world.plane.beats.at(-1)?.members.length === 0);
});

it('P8 an exit is told until it is acknowledged, listed or not, and its folder goes only then', async () => {
  const key = world.member();
  world.plane.acknowledges = false;
  world.plane.start(key, shell('exit 5'));
  await until('its exit', () => world.plane.seen(key)?.state === 'exited');
  const count = world.plane.beats.length;
  await until('more answers', () => world.plane.beats.length > count + 3);
  expect(world.plane.beats.at(-1)?.members).toMatchObject([{ ...key, state: 'exited', exitCode: 5 }]);
  world.plane.acknowledges = true;
  await until('forgotten', () => world.plane.beats.at(-1)?.members.length === 0);
  await until('no folder', () => read(path.join(world.folder(key), 'outcome.json')) === '');
});

it('a member that no list names runs on and is reported', async () => {
  const key = world.member();
  world.plane.start(key, shell('exec sleep 600'));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  world.plane.forget(key);
  const count = world.plane.beats.length;
  await until('more answers', () => world.plane.beats.length > count + 5);
  expect(world.plane.beats.at(-1)?.members).toMatchObject([{ ...key, state: 'ready' }]);
  world.plane.stop(key, 2_000);
  await until('the end', () => world.plane.seen(key)?.state === 'exited');
});

it('a higher epoch stops the lower one first, then starts', async () => {
  const old = world.member();
  const young = { ...old, epoch: '2' };
  const file = path.join(world.dir, 'epochs');
  world.plane.start(old, shell(`trap "sleep 0.2; echo old ended >> ${file}; exit 0" TERM; while :; do sleep 0.02; done`));
  await until('readiness', () => world.plane.seen(old)?.state === 'ready');
  world.plane.start(young, shell(`echo young started >> ${file}; exec sleep 600`));
  await until('the young one', () => world.plane.seen(young)?.state === 'ready');
  expect(world.plane.seen(old)?.state).toBe('exited');
  await until('what it wrote', () => read(file).includes('young'));
  expect(read(file)).toBe('old ended\nyoung started\n');
  world.plane.stop(young, 2_000);
  await until('the end', () => world.plane.seen(young)?.state === 'exited');
});

it.for([
  ['a folder that isn’t there', shell('true', { workingDirectory: '/nowhere/at/all' }), 'working_directory_missing'],
  ['a program that isn’t there', { ...shell(''), argv: ['/nowhere/program'] }, 'spawn_failed'],
  ['a program that PATH doesn’t have', { ...shell(''), argv: ['no-such-program-of-ours'] }, 'spawn_failed'],
  ['a device that the node hasn’t', shell('true', { devices: [8] }), 'device_missing'],
  ['an environment that no system takes', shell('true', { env: { BIG: 'x'.repeat(200_000) } }), 'spawn_failed'],
] as const)('a start with %s is refused by name', async ([, launch, code]) => {
  const key = world.member();
  world.plane.start(key, launch);
  expect(await until('refusal', () => { const seen = world.plane.seen(key); return seen?.state === 'refused' && seen; })).toMatchObject({ code });
});

it('an answer with an impossible key is not followed, and the others of it are', async () => {
  const key = world.member();
  world.plane.change = (answer) => ({ ...answer, stop: [...answer.stop, { job: '../../etc', epoch: '1', rank: 0, reason: 'x', graceMs: 0 }, {} as StopItem] });
  world.plane.start(key, shell('exit 0'));
  await until('its exit', () => world.plane.seen(key)?.state === 'exited');
  world.plane.change = (answer) => answer;
  expect(agent.log()).toMatch(/items that this agent can’t read[^]*impossible key/);
});

it('eight members start within a second and one beat carries them all', async () => {
  const keys = Array.from({ length: 8 }, (_, rank) => ({ ...world.member('job_00000000000000000000000001'), rank }));
  for (const key of keys) world.plane.start(key, shell('exec sleep 600', { master: { address: '127.0.0.1', port: 4_000 }, devices: [key.rank], worldSize: 8 }));
  world.plane.nudge();
  await until('all ready', () => keys.every((key) => world.plane.seen(key)?.state === 'ready'));
  const beat = world.plane.beats.at(-1);
  expect(beat?.members).toHaveLength(8);
  expect(JSON.stringify(beat).length).toBeLessThan(4_096);
  for (const key of keys) world.plane.stop(key, 2_000);
  await until('all over', () => keys.every((key) => world.plane.seen(key)?.state === 'exited'));
});

