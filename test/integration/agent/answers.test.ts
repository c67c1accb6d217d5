/** P3 over the wire: what an agent makes of answers that are late, foreign, older or empty while a member runs. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Answer, BeatRefusal, MemberKey } from '#services/fleet/model.ts';
import { openAgentWorld, until, type AgentProcess, type AgentWorld } from './agent-world.ts';
import { shell } from './control-plane.ts';

let world: AgentWorld;
let agent: AgentProcess;
let member: MemberKey;

beforeAll(async () => {
  world = await openAgentWorld();
  agent = await world.startAgent();
});
beforeEach(async () => {
  member = world.member();
  world.plane.start(member, shell('exec sleep 600'));
  await until('readiness', () => world.plane.seen(member)?.state === 'ready');
});
afterEach(async () => {
  world.plane.change = (answer) => answer;
  world.plane.isAway = false;
  world.plane.stop(member, 1_000);
  await until('the end', () => world.plane.seen(member)?.state === 'exited');
  await until('no process is left behind', () => world.processes().length === 0);
});
afterAll(async () => { await world.close(); });

async function beatsOn(count: number): Promise<void> {
  const from = world.plane.heard.length;
  await until('more beats', () => world.plane.heard.length >= from + count);
}

const stopOf = (key: MemberKey) => ({ ...key, reason: 'never', graceMs: 0 });

it.for<[string, (answer: Answer) => Answer | BeatRefusal | Record<string, never>]>([
  ['of another cluster', (answer) => ({ ...answer, clusterId: 'foreign', stop: [stopOf(member)] })],
  ['of an older incarnation', (answer) => ({ ...answer, incarnation: 0, stop: [stopOf(member)] })],
  ['of an older generation', (answer) => ({ ...answer, generation: '0', stop: [stopOf(member)] })],
  ['to an older beat', (answer) => ({ ...answer, echo: answer.echo - 1, stop: [stopOf(member)] })],
  ['of another session', (answer) => ({ ...answer, session: '999', stop: [stopOf(member)] })],
  ['that is empty', () => ({})],
  ['that is a refusal', () => ({ refused: 'unavailable', detail: 'the database is away' })],
])('P3 an answer %s stops no member', async ([, change]) => {
  world.plane.change = change;
  await beatsOn(4);
  world.plane.change = (answer) => answer;
  await until('a beat that is answered', () => world.plane.beats.at(-1)?.members.some(({ job }) => job === member.job));
  expect(world.plane.seen(member)?.state).toBe('ready');
});

it('P3 an answer that is older than its lease is dropped', async () => {
  let isLate = true;
  world.plane.change = (answer) => {
    if (!isLate) return answer;
    return { ...answer, leaseTtlMs: 1, stop: [stopOf(member)] };
  };
  await until('a dropped answer', () => agent.log().includes('older than the lease that it grants'));
  isLate = false;
  expect(world.plane.seen(member)?.state).toBe('ready');
});

it('lists without the member, and an agent that hears nothing for three leases, leave the member running', async () => {
  world.plane.change = (answer) => ({ ...answer, run: [], stop: [], ack: [] });
  await beatsOn(3);
  world.plane.change = (answer) => answer;
  world.plane.isAway = true;
  await delay(3_000); // three leases of the test's second
  expect(world.programs()).toHaveLength(1);
  world.plane.isAway = false;
  const from = world.plane.beats.length;
  await until('it is heard again', () => world.plane.beats.length > from);
  expect(world.plane.beats.at(-1)?.members).toMatchObject([{ ...member, state: 'ready' }]);
});

it('P1 an agent whose session is stale asks for a new one', async () => {
  world.plane.change = () => ({ refused: 'stale', detail: 'a newer session' });
  const from = world.plane.heard.length;
  await until('a beat without a session', () => world.plane.heard.slice(from).some(({ session }) => session === '0'));
  world.plane.change = (answer) => answer;
  const session = world.plane.beats.at(-1)?.session;
  await until('a newer session', () => BigInt(world.plane.beats.at(-1)?.session ?? 0) > BigInt(session ?? 0));
  expect(world.plane.seen(member)?.state).toBe('ready');
});

it('a nudge makes the next beat sooner, and many make no storm', async () => {
  world.plane.change = (answer) => ({ ...answer, heartbeatMs: 60_000 });
  await until('a long pause', async () => {
    const from = world.plane.heard.length;
    await delay(300);
    return world.plane.heard.length === from;
  });
  const from = world.plane.heard.length;
  world.plane.change = (answer) => ({ ...answer, heartbeatMs: 60_000 });
  for (let count = 0; count < 200; count += 1) world.plane.nudge();
  await until('a beat', () => world.plane.heard.length > from);
  world.plane.change = (answer) => answer;
  world.plane.nudge();
  await beatsOn(2);
  expect(world.plane.heard.length - from).toBeLessThan(100);
});
