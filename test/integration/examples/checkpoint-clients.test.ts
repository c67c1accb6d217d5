import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fenced, fencedExitCode, MusterCheckpoint, Refused, Unreachable, writeShard } from '#infra/clients/node/muster-checkpoint.ts';
import { ControlServer } from './control-server.ts';

const pythonClient = fileURLToPath(new URL('../../../infra/clients/python', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;
if (!hasPython) console.warn('python3 ≥ 3.8 is missing: the tests of the Python client are skipped');

let folder: string;
let server: ControlServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clients-test-'));
  server = new ControlServer(folder, 1);
  await server.open();
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('Node client', () => {
  it('is absent without Muster', () => {
    expect(MusterCheckpoint.fromEnvironment({})).toBeUndefined();
  });

  it('says ready and progress, reports shards with their hashes, commits, and is told what to resume from', async () => {
    const client = MusterCheckpoint.fromEnvironment(server.environment(0))!;
    await client.ready();
    await client.progress({ step: 3, totalSteps: 9, message: 'loss 0.5' });
    writeShard(server.dir, 'step-3/rank-0.bin', Buffer.from('ab'), Buffer.from('c'));
    const { files } = await client.shards(3, ['step-3/rank-0.bin']);
    expect(files).toEqual([{ path: 'step-3/rank-0.bin', bytes: '3', sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }]);
    expect(await client.commit({ step: 3, layout: {}, dataPosition: { offset: 3 } })).toEqual({ checkpoint: 'ckpt_3', step: 3 });
    expect(await client.member()).toMatchObject({ rank: 0, state: 'running', resume: { step: 3, dir: server.dir } });
    expect([...server.readyRanks]).toEqual([0]);
    expect(server.progress).toEqual([{ step: 3, totalSteps: 9, message: 'loss 0.5' }]);
  });

  it('names what the agent refused, and a fence apart', async () => {
    const client = new MusterCheckpoint(server.socketPath(0));
    const commit = { step: 1, layout: {}, dataPosition: {}, waitMs: 0 };
    await expect(client.commit(commit)).rejects.toMatchObject({ constructor: Refused, code: 'checkpoint_incomplete', status: 409 });
    server.isFenced = true;
    await expect(client.commit(commit)).rejects.toMatchObject({ constructor: Fenced, code: 'checkpoint_fenced', exitCode: fencedExitCode });
  });

  it('waits for an agent that is being restarted, and gives up after the bound', async () => {
    const client = new MusterCheckpoint(server.socketPath(0));
    await server.close();
    await expect(client.member({ retryForMs: 200 })).rejects.toBeInstanceOf(Unreachable);
    const answer = client.member({ retryForMs: 20_000 });
    await server.open();
    expect(await answer).toMatchObject({ job: 'job_test' });
  });

  it('hears of a stop at once, across a restart of the agent', async () => {
    const client = new MusterCheckpoint(server.socketPath(0));
    const heard = new Promise((resolve) => client.watchStop(resolve));
    await server.close();
    await server.open();
    server.stop = { reason: 'preempt', deadlineAt: '2030-01-01T00:00:00Z' };
    expect(await heard).toEqual(server.stop);
  });

  it('writes a shard whole or not at all, and only below its folder', () => {
    expect(() => writeShard(server.dir, '../outside.bin', Buffer.from('x'))).toThrow('leaves its folder');
    expect(() => writeShard(server.dir, '/outside.bin', Buffer.from('x'))).toThrow('leaves its folder');
    expect(() => writeShard(server.dir, 'step-1/a.bin', Buffer.from('x'), undefined as unknown as Buffer)).toThrow();
    expect(readdirSync(join(server.dir, 'step-1'))).toEqual([]);
    expect(existsSync(join(folder, 'outside.bin'))).toBe(false);
  });
});

describe.skipIf(!hasPython)('Python client', () => {
  it('says ready and progress, reports shards with their hashes, commits, and is told what to resume from', async () => {
    const first = await python(`
      client.ready()
      assert client.progress(3, 9, 'loss 0.5')
      assert m.resume() is None
      m.write_shard(os.environ['MUSTER_CHECKPOINT_DIR'], 'step-3/rank-0.bin', lambda name: open(name, 'wb').write(b'abc'))
      print(json.dumps([client.shards(3, ['step-3/rank-0.bin']), client.commit(3, {}, {'offset': 3})]))`);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toEqual([
      [{ path: 'step-3/rank-0.bin', bytes: '3', sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' }],
      { checkpoint: 'ckpt_3', step: 3 },
    ]);
    expect(server.progress).toEqual([{ step: 3, totalSteps: 9, message: 'loss 0.5' }]);
    const second = await python(`
      print(json.dumps([m.resume().step, m.resume().dir, client.member()['resume']['step']]))`);
    expect(JSON.parse(second.stdout)).toEqual([3, server.dir, 3]);
    expect(readFileSync(join(server.dir, 'step-3/rank-0.bin'), 'utf8')).toBe('abc');
  });

  it('names what the agent refused; a fence that nobody catches ends the program with 77', async () => {
    const refused = await python(`
      try:
          client.commit(1, wait_ms=0)
      except m.Refused as error:
          print(error.status, error.code)`);
    expect(refused).toMatchObject({ code: 0, stdout: '409 checkpoint_incomplete\n' });
    server.isFenced = true;
    const fenced = await python(`
      try:
          client.commit(1, wait_ms=0)
      except Exception:
          print('swallowed')`);
    expect(fenced).toMatchObject({ code: fencedExitCode, stdout: '' });
  });

  it('waits for an agent that is being restarted, and gives up after the bound', async () => {
    await server.close();
    const lost = await python(`
      assert not client.progress(1)
      try:
          client.member(retry_for_ms=200)
      except m.Unreachable:
          print('unreachable')`);
    expect(lost).toMatchObject({ code: 0, stdout: 'unreachable\n' });
    const answer = python(`
      print(client.member()['job'])`);
    await server.open();
    expect(await answer).toMatchObject({ code: 0, stdout: 'job_test\n' });
  });

  it('hears of a stop at once', async () => {
    const heard = python(`
      orders = queue.Queue()
      client.watch_stop(orders.put)
      print(orders.get(timeout=30)['reason'])`);
    server.stop = { reason: 'preempt', deadlineAt: '2030-01-01T00:00:00Z' };
    expect(await heard).toMatchObject({ code: 0, stdout: 'preempt\n' });
  });

  it('writes a shard whole or not at all, and only below its folder', async () => {
    const outcome = await python(`
      def fail(name):
          open(name, 'wb').write(b'half')
          raise RuntimeError('disk full')
      folder = os.environ['MUSTER_CHECKPOINT_DIR']
      for path, write in (('../x.bin', print), ('/x.bin', print), ('step-1/x.bin', fail)):
          try:
              m.write_shard(folder, path, write)
              print('written')
          except (ValueError, RuntimeError):
              pass
      print(os.listdir(os.path.join(folder, 'step-1')))`);
    expect(outcome).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

/** Runs a piece of Python with the client `client` of rank 0 and its module `m`. */
async function python(body: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const program = `import json, os, queue\nimport muster_checkpoint as m\nclient = m.MusterCheckpoint.from_environment()\n${body.replaceAll(/^ {6}/gm, '').trim()}\n`;
  const env = { PATH: process.env['PATH'] ?? '', PYTHONPATH: pythonClient, PYTHONDONTWRITEBYTECODE: '1', ...server.environment(0) };
  const child = spawn('python3', ['-c', program], { env, timeout: 40_000 });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}
