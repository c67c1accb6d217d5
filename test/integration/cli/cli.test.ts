import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Environment } from '#services/platform/config.ts';
import { ensureAdminKey } from '#services/teams/api-keys.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { closedPort, muster, startApi, type ApiProcess, type Ran } from './api-process.ts';

let world: World;
let api: ApiProcess;
let env: Environment;
let folder: string;
beforeAll(async () => {
  world = await openWorld();
  api = await startApi(world.env);
  env = { MUSTER_API_URL: api.url, MUSTER_API_KEY: (await ensureAdminKey(world.db)) ?? '' };
  folder = await mkdtemp(path.join(tmpdir(), 'muster-cli-'));
});
afterAll(async () => {
  await api.stop();
  await world.close();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]): Promise<Ran> => muster(args, env);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
const end = (id: string, state: 'SUCCEEDED' | 'FAILED', detail: string) =>
  world.db.updateTable('job').set({ state, detail, ended_at: new Date() }).where('id', '=', id).execute();

describe('submit', () => {
  it('takes flags', async () => {
    const { code, out } = await run('submit', '--name', 'flags', '--members', '4', '--devices', '8', '--device-model', 'h100', '--cpu', '0.5', '--memory', '2GiB', '--env', 'A=b=c',
      '--label', 'run=7', '--topology', 'rack', '--priority', 'high', '--time-limit', '10m', '--user-retries', '2', '--grace', '5s', '--preemptible', '--', 'python', 'train.py', '--lr', '0.1');
    expect(code).toBe(0);
    expect(out).toMatch(/^job_[0-9a-z]{26}$/);
    expect((await json('job', out)).spec).toMatchObject({
      name: 'flags', argv: ['python', 'train.py', '--lr', '0.1'], members: 4, devicesPerMember: 8, deviceModels: ['h100'], cpuMilli: 500, memoryBytes: '2147483648',
      env: { A: 'b=c' }, labels: { run: '7' }, topology: { level: 'rack', mode: 'required' }, priorityClass: 'high', timeLimitSeconds: 600, preemptible: true,
      retry: { userFailures: 2, infrastructureFailures: 10 }, checkpoint: { graceSeconds: 5 },
    });
  });

  it('takes a YAML file, a JSON file and standard input; flags win', async () => {
    const yaml = path.join(folder, 'job.yaml');
    await writeFile(yaml, 'name: from-yaml\nargv: [sleep, "1"]\nenv: { A: "1", B: "2" }\nretry: { userFailures: 3 }\n');
    expect((await json('submit', '-f', yaml, '--env', 'B=3', '--members', '2')).spec).toMatchObject({ name: 'from-yaml', members: 2, env: { A: '1', B: '3' }, retry: { userFailures: 3 } });
    const file = path.join(folder, 'job.json');
    await writeFile(file, JSON.stringify({ name: 'from-json', argv: ['true'] }));
    expect((await json('submit', '-f', file)).name).toBe('from-json');
    const piped = await muster(['submit', '-f', '-', '--json'], env, { input: 'name: piped\nargv: ["true"]\n' });
    expect(JSON.parse(piped.out).name).toBe('piped');
  });

  it('names the bad field and the remedy, and exits with 4', async () => {
    const refused = await run('submit', '--name', 'x y', '--members', '-1', '--', 'true');
    expect(refused.code).toBe(4);
    expect(refused.err).toContain('/name  name must match');
    expect(refused.err).toContain('/members  members must be at least 1, not -1');
    expect(refused.err).toContain('Correct the fields');
    const asJson = await run('submit', '--name', 'x y', '--json', '--', 'true');
    expect(JSON.parse(asJson.err)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/name' }] });
    expect(asJson.out).toBe('');
  });

  it('with wrong usage exits with 2 before anything is sent', async () => {
    for (const args of [['submit', '--nope'], ['submit', '--memory', '2 apples', '--', 'x'], ['submit', '-f', path.join(folder, 'absent.yaml')], ['nonsense'], ['job'], ['jobs', '--limit', '0'], ['submit', '--priority', 'urgent']]) {
      expect([args, (await run(...args)).code]).toEqual([args, 2]);
    }
  });

  it('with one key twice submits once', async () => {
    const submit = () => run('submit', '--name', 'keyed', '--idempotency-key', 'nightly-1', '--', 'true');
    expect((await submit()).out).toBe((await submit()).out);
  });
});

describe('submit --wait', () => {
  const waiting = async (state: 'SUCCEEDED' | 'FAILED'): Promise<Ran> => {
    const name = `wait-${state.toLowerCase()}`;
    const ran = run('submit', '--name', name, '--wait', '--json', '--', 'true');
    const id = await vi.waitFor(async () => (await world.db.selectFrom('job').select('id').where('name', '=', name).executeTakeFirstOrThrow()).id, { timeout: 10_000 });
    await end(id, state, 'rank 0 exited with 3');
    return ran;
  };

  it('ends with 0 when the job has succeeded', async () => {
    const { code, out } = await waiting('SUCCEEDED');
    expect([code, JSON.parse(out).state]).toEqual([0, 'SUCCEEDED']);
  });

  it('ends with 1 when it has failed', async () => {
    const { code, out } = await waiting('FAILED');
    expect([code, JSON.parse(out)]).toMatchObject([1, { state: 'FAILED', reason: 'rank 0 exited with 3' }]);
  });

  it('interrupted ends with 130 and leaves the job', async () => {
    expect((await muster(['submit', '--name', 'interrupted', '--wait', '--', 'true'], env, { interruptWhen: /submitted; Ctrl-C leaves it running/ })).code).toBe(130);
    expect((await json('jobs', '--name', 'interrupted'))[0].state).toBe('QUEUED');
  });
});

describe('reading', () => {
  it('jobs prints a table for people and one document for programs', async () => {
    const { out: id } = await run('submit', '--name', 'listed', '--label', 'suite=list', '--', 'true');
    const table = await run('jobs', '--label', 'suite=list');
    expect(table.out.split('\n')[0]).toMatch(/^JOB\s+NAME\s+TEAM\s+STATE/);
    expect(table.out).toContain(id);
    expect(table.out).not.toMatch(/\u001b/);
    expect(await json('jobs', '--label', 'suite=list')).toMatchObject([{ id, state: 'QUEUED' }]);
  });

  it('more than a page is read page by page', async () => {
    for (let count = 0; count < 3; count++) await run('submit', '--name', 'paged', '--', 'true');
    expect(await json('jobs', '--name', 'paged', '--limit', '2')).toHaveLength(2);
    expect(await json('jobs', '--name', 'paged')).toHaveLength(3);
  });

  it('job says why it waits', async () => {
    const { out: id } = await run('submit', '--name', 'why', '--', 'true');
    await world.db.updateTable('job').set({ waiting_reason: 'no_node_large_enough', waiting_detail: 'A member asks for 9 devices.', waiting_since: new Date() }).where('id', '=', id).execute();
    expect((await run('job', id)).out).toMatch(/waiting\s+A member asks for 9 devices\. \(no_node_large_enough, for \d+ s\)/);
  });

  it('attempts, events and teams answer', async () => {
    const { out: id } = await run('submit', '--name', 'histories', '--', 'true');
    expect(await json('attempts', id)).toEqual([]);
    expect(Array.isArray(await json('events', '--job', id))).toBe(true);
    expect((await run('teams', '--create', 'blue')).out).toBe('blue');
    expect((await run('teams')).out).toContain('blue');
    expect(await json('dead-letters')).toEqual([]);
    expect(await json('checkpoints', id)).toEqual([]);
    expect(await json('nodes')).toEqual([]);
    expect((await run('node', 'nobody')).code).toBe(5);
  });
});

describe('cancel and retry', () => {
  it('cancel, cancel again, retry', async () => {
    const { out: id } = await run('submit', '--name', 'cancelled', '--', 'true');
    expect((await run('cancel', id, '--reason', 'wrong data')).out).toMatch(/CANCELLED$/);
    expect(await json('cancel', id)).toMatchObject({ state: 'CANCELLED', reason: 'wrong data' });
    expect(await json('retry', id)).toMatchObject({ retryOf: id, state: 'QUEUED' });
  });

  it('what has ended is refused with 4, what is unknown with 5', async () => {
    const { out: id } = await run('submit', '--name', 'ended', '--', 'true');
    await end(id, 'SUCCEEDED', 'done');
    const refused = await run('cancel', id);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('job_ended')]);
    for (const command of ['job', 'cancel', 'retry', 'attempts', 'logs']) expect([command, (await run(command, 'job_unknown')).code]).toEqual([command, 5]);
  });
});

describe('without an API or a key', () => {
  it('exits with 3 and says where it looked', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { code, err } = await muster(['jobs'], { ...env, MUSTER_API_URL: url });
    expect([code, err]).toEqual([3, expect.stringContaining(`${url} does not answer: ECONNREFUSED`)]);
  });

  it('exits with 4 and says which header', async () => {
    const { code, err } = await muster(['jobs'], { ...env, MUSTER_API_KEY: 'mk_wrong' });
    expect([code, err]).toEqual([4, expect.stringContaining('unauthenticated')]);
  });
});

it('events -f prints one JSON object a line and resumes after a position', async () => {
  const { out: last } = await run('submit', '--name', 'followed', '--', 'true');
  const { code, out } = await muster(['events', '-f', '--after', '0', '--json', '--kind', 'job.submitted'], env, { interruptWhen: new RegExp(`${last}.*\n`) });
  expect(code).toBe(130);
  const lines = out.trim().split('\n').map((line) => JSON.parse(line) as { kind: string; pos: string });
  expect(new Set(lines.map((line) => line.kind))).toEqual(new Set(['job.submitted']));
  expect(lines.map((line) => Number(line.pos))).toEqual(lines.map((line) => Number(line.pos)).toSorted((a, b) => a - b));
});

it('the API ends cleanly on SIGTERM with streams open', async () => {
  const other = await startApi(world.env);
  const response = await fetch(`${other.url}/v1/events`, { headers: { authorization: `Bearer ${env['MUSTER_API_KEY']}` } });
  expect(response.status).toBe(200);
  const startedAt = performance.now();
  expect(await other.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
