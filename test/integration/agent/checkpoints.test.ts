import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { MemberKey, MemberLaunch, ResumePoint } from '#services/fleet/model.ts';
import { openAgentWorld, read, until, type AgentWorld } from './agent-world.ts';
import { shell } from './control-plane.ts';

let world: AgentWorld;
let member: MemberKey;
let prefix: string;

beforeAll(async () => {
  world = await openAgentWorld();
  await world.startAgent();
});
beforeEach(async () => {
  world.plane.reply = async (call) => ({ ok: true, checkpoint: 'ckpt_of_the_test', step: call.step });
  world.plane.calls.length = 0;
  member = world.member();
  prefix = path.join(world.checkpointRoot, member.job, '1');
  world.plane.start(member, shell('exec sleep 600'));
  await until('readiness', () => world.plane.seen(member)?.state === 'ready');
});
afterEach(async () => {
  world.plane.isAway = false;
  world.plane.stop(member, 1_000);
  await until('the end', () => world.plane.seen(member)?.state === 'exited');
  await until('no process is left behind', () => world.processes().length === 0);
});
afterAll(async () => { await world.close(); });

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const shards = (files: unknown, step: unknown = 40) => world.control(member, 'POST', '/v1/checkpoints/shards', { step, files });
const commit = (more: object = {}) => world.control(member, 'POST', '/v1/checkpoints/commit', { step: 40, layout: { ranks: 1 }, dataPosition: { epoch: 2 }, ...more });

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(prefix, file)), { recursive: true });
  writeFileSync(path.join(prefix, file), text);
}

it('shards are hashed and reported, then the commit is asked for', async () => {
  write('step-40/rank-0.bin', 'weights');
  write('step-40/optimizer/rank-0.bin', '');
  const files = [{ path: 'step-40/rank-0.bin', bytes: '7', sha256: sha256('weights') }, { path: 'step-40/optimizer/rank-0.bin', bytes: '0', sha256: sha256('') }];
  expect(await shards(files.map((file) => file.path))).toEqual({ status: 200, body: { step: 40, files } });
  expect(await commit()).toEqual({ status: 200, body: { checkpoint: 'ckpt_of_the_test', step: 40 } });
  expect(world.plane.calls).toEqual([
    { op: 'shards', credentialVersion: 7, member, step: 40, files },
    { op: 'commit', credentialVersion: 7, member, step: 40, dir: `${member.job}/1`, reach: 'node', layout: { ranks: 1 }, dataPosition: { epoch: 2 } },
  ]);
});

it.for([
  '/etc/passwd', '../1/step-40/rank-0.bin', 'a/../../secret', './x', 'a//b', '.hidden', 'new\nline', 'nul\u0000byte', 'sp ace', 'a/b/c/d/e/f/g/h/i', 'link-to-file', 'linked/secret', 'pipe', 'folder', 'absent', 'Zürich',
])('the shard path %j is refused, and nothing of it is reported', async (file) => {
  write('folder/x', 'x');
  writeFileSync(path.join(world.dir, 'secret'), 'secret');
  symlinkSync(path.join(world.dir, 'secret'), path.join(prefix, 'link-to-file'));
  symlinkSync(world.dir, path.join(prefix, 'linked'));
  const { execFileSync } = await import('node:child_process');
  execFileSync('mkfifo', [path.join(prefix, 'pipe')]);
  expect(await shards(['folder/x', file])).toMatchObject({ status: 422, body: { code: 'checkpoint_shard_refused', errors: [{ pointer: '/files/1' }] } });
  expect(world.plane.calls).toEqual([]);
});

it('a commit waits for the shards of other ranks within its bound, then says what is missing', async () => {
  let asked = 0;
  world.plane.reply = async (call) => (asked += 1) < 4 ? { ok: false, code: 'checkpoint_incomplete', detail: 'rank 1 is missing' } : { ok: true, checkpoint: 'ckpt_late', step: call.step };
  expect(await commit({ waitMs: 5_000 })).toMatchObject({ status: 200, body: { checkpoint: 'ckpt_late' } });
  world.plane.reply = async () => ({ ok: false, code: 'checkpoint_incomplete', detail: 'rank 1 is missing' });
  expect(await commit({ waitMs: 200 })).toMatchObject({ status: 409, body: { code: 'checkpoint_incomplete', retryable: true } });
});

it.for(['checkpoint_fenced', 'checkpoint_step_not_newer'] as const)('%s is answered at once with 409', async (code) => {
  world.plane.reply = async () => ({ ok: false, code, detail: 'so it is' });
  expect(await commit({ waitMs: 30_000 })).toMatchObject({ status: 409, body: { code } });
  expect(world.plane.calls).toHaveLength(1);
});

it('a commit outlasts an absence of the control plane, and the member trains on', async () => {
  world.plane.isAway = true;
  const answer = commit();
  await until('a failed beat', () => world.plane.heard.length > world.plane.beats.length + 4);
  expect(world.programs()).toHaveLength(1);
  world.plane.isAway = false;
  expect(await answer).toMatchObject({ status: 200 });
}, 30_000);

it('P18 an exit is reported only after the member’s commit was answered', async () => {
  let answer: () => void = () => undefined;
  world.plane.reply = (call) => new Promise((resolve) => { answer = () => resolve({ ok: true, checkpoint: 'ckpt_last', step: call.step }); });
  const call = commit();
  await until('the commit', () => world.plane.calls.length > 0);
  const [program] = world.programs();
  process.kill(program ?? 0, 'SIGKILL');
  await until('its end on this node', () => world.programs().length === 0);
  const from = world.plane.beats.length;
  await until('more beats', () => world.plane.beats.length > from + 3);
  expect(world.plane.seen(member)?.state).toBe('ready');
  answer();
  await until('its exit', () => world.plane.seen(member)?.state === 'exited');
  expect((await call.catch(() => ({ status: 200 }))).status).toBe(200);
});

it.for([
  ['POST', '/v1/checkpoints/shards', '{', 400, 'malformed_json'],
  ['POST', '/v1/checkpoints/shards', { step: -1, files: ['a'] }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/shards', { step: 1.5, files: ['a'] }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/shards', { step: 1, files: [] }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/shards', { step: 1, files: ['a', 'a'] }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/shards', { step: 1, files: ['a'], more: 1 }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/commit', { step: 1, layout: { x: 'y'.repeat(20_000) } }, 400, 'invalid_request'],
  ['POST', '/v1/checkpoints/commit', `"${'x'.repeat(2_000_000)}"`, 413, 'body_too_large'],
  ['POST', '/v1/progress', { step: '1' }, 400, 'invalid_request'],
  ['GET', '/v1/stop?waitMs=30001', undefined, 400, 'invalid_request'],
  ['GET', '/v1/stop?waitMs=-1', undefined, 400, 'invalid_request'],
  ['DELETE', '/v1/member', undefined, 404, 'route_not_found'],
  ['GET', '/../etc/passwd', undefined, 404, 'route_not_found'],
] as const)('bad input: %s %s', async ([method, url, body, status, code]) => {
  expect(await world.control(member, method, url, body)).toMatchObject({ status, body: { code } });
  expect(await world.control(member, 'GET', '/v1/member')).toMatchObject({ status: 200, body: { ...member, worldSize: 1, state: 'running', stop: null, resume: null } });
});

it('progress rides on a beat, cut and without control characters', async () => {
  await world.control(member, 'POST', '/v1/progress', { step: 3, totalSteps: 9, message: `loss\u001b[2J 0.5 ${'é'.repeat(600)}` });
  const progress = await until('progress', () => { const seen = world.plane.seen(member); return seen?.state === 'ready' && seen.progress; });
  expect(progress).toMatchObject({ step: 3, totalSteps: 9 });
  expect(progress.message).toMatch(/^loss \[2J 0\.5 é+$/);
  expect([...progress.message ?? '']).toHaveLength(256);
});

function resumeLaunch(change: Partial<ResumePoint['shards'][number]> = {}): MemberLaunch {
  const shard = { path: 'step-20/rank-0.bin', bytes: '7', sha256: sha256('weights'), ...change };
  return shell('echo $MUSTER_RESUME_DIR $MUSTER_RESUME_STEP > $MUSTER_CHECKPOINT_DIR/resumed', {
    resume: { checkpoint: 'ckpt_good', step: 20, dir: `${member.job}/1`, reach: 'node', shards: [shard] },
  });
}

it('an intact checkpoint is where the next epoch goes on', async () => {
  write('step-20/rank-0.bin', 'weights');
  const next = { ...world.member(), epoch: '7' };
  world.plane.start(next, resumeLaunch());
  await until('its exit', () => world.plane.seen(next)?.state === 'exited');
  expect(read(path.join(world.checkpointRoot, next.job, '7/resumed'))).toBe(`${prefix} 20\n`);
});

it.for([
  ['shorter than its manifest says', 'weight', {}],
  ['altered', 'Weights', {}],
  ['absent', undefined, {}],
  ['named by a path that leaves the folder', 'weights', { path: '../1/step-20/rank-0.bin' }],
] as const)('a member whose shard is %s never starts', async ([, text, change]) => {
  if (text !== undefined) write('step-20/rank-0.bin', text);
  const next = { ...world.member(), epoch: '7' };
  world.plane.start(next, resumeLaunch(change));
  expect(await until('refusal', () => { const seen = world.plane.seen(next); return seen?.state === 'refused' && seen; }))
    .toMatchObject({ code: 'checkpoint_unreadable', checkpoint: 'ckpt_good' });
  expect(world.plane.history(next)).toEqual(['refused']);
  expect(read(path.join(world.checkpointRoot, next.job, '7/resumed'))).toBe('');
});
