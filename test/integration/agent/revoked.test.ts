import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAgentWorld, read, until, type AgentWorld } from './agent-world.ts';
import { shell } from './control-plane.ts';

let world: AgentWorld;
beforeAll(async () => { world = await openAgentWorld(); });
afterAll(async () => { await world.close(); });

it('a token is exchanged once, for a secret that only the node’s user can read', async () => {
  const agent = await world.startAgent();
  await until('a beat', () => world.plane.beats[0]);
  const file = path.join(world.dir, 'data/credential.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(read(file)).toContain('the-secret');
  expect(agent.log()).not.toMatch(/the-secret|the-token/);
  await agent.kill('SIGTERM');
  const successor = await world.startAgent({ MUSTER_AGENT_ENROLMENT_TOKEN: '' });
  const from = world.plane.beats.length;
  await until('a beat of the successor', () => world.plane.beats.length > from);
  await successor.kill('SIGTERM');
});

it('two agents never run over one data folder', async () => {
  const agent = await world.startAgent();
  await expect(world.startAgent()).rejects.toThrow(/already runs/);
  await agent.kill('SIGTERM');
});

it('a revoked credential ends the beats, not the members, and the log says how to enrol again', async () => {
  const agent = await world.startAgent();
  const key = world.member();
  world.plane.start(key, shell('exec sleep 600'));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  world.plane.change = () => ({ refused: 'credential_revoked', detail: 'version 7 was revoked' });
  await until('its last word', () => agent.log().includes('MUSTER_AGENT_RE_ENROL'));
  const count = world.plane.heard.length;
  await delay(500); // five heartbeats
  expect(world.plane.heard.length).toBe(count);
  expect(world.programs()).toHaveLength(1);
  world.plane.change = (answer) => answer;
  await agent.kill('SIGTERM');
  expect(world.programs()).toHaveLength(1);

  await world.startAgent({ MUSTER_AGENT_RE_ENROL: '1' });
  world.plane.stop(key, 1_000);
  await until('the end', () => world.plane.seen(key)?.state === 'exited');
  await until('no process is left behind', () => world.processes().length === 0);
});

it('an agent of a local stack takes its members along', async () => {
  for (const { pid } of world.processes()) process.kill(pid);
  await until('the agent before is gone', () => read(path.join(world.dir, 'data/agent.json')) !== '');
  const holder = (JSON.parse(read(path.join(world.dir, 'data/agent.json'))) as { pid: number }).pid;
  process.kill(holder, 'SIGTERM');
  await until('its folder is free', () => read(path.join(world.dir, 'data/agent.json')) === '');
  const agent = await world.startAgent({ MUSTER_AGENT_STOP_MEMBERS_ON_EXIT: '1', MUSTER_AGENT_EXIT_GRACE_MS: '500' });
  const key = world.member();
  world.plane.start(key, shell('trap "" TERM; while :; do sleep 0.05; done'));
  await until('readiness', () => world.plane.seen(key)?.state === 'ready');
  await agent.kill('SIGTERM');
  await until('no process is left behind', () => world.processes().length === 0);
});
