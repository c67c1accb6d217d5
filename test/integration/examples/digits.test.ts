import { randomInt } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ControlServer } from './control-server.ts';
import { digestOf, exitCodes, killAll, type Rank, startGang } from './digits-gang.ts';

const worldSize = 4;
const steps = 120;
const args = [`--steps=${String(steps)}`, '--checkpoint-every=20', '--progress-every=1', '--peer-timeout-ms=20000'];
const paced = [...args, '--step-ms=15']; // slow enough to act at a chosen step, as a person would

let folder: string;
let server: ControlServer;
let started: Rank[];
let undisturbed: string;

const freePort = (): Promise<number> => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address() as AddressInfo;
    probe.close(() => resolve(port));
  });
});

async function start(size: number, argv: readonly string[], env?: (rank: number) => Record<string, string>): Promise<Rank[]> {
  const gang = startGang(size, await freePort(), argv, env);
  started.push(...gang);
  return gang;
}

const startOnMuster = (argv: readonly string[]) => start(worldSize, argv, (rank) => server.environment(rank));

async function finish(gang: readonly Rank[]): Promise<string> {
  expect(await exitCodes(gang), gang.map((rank) => rank.output).join('\n')).toEqual(gang.map(() => 0));
  return digestOf(gang);
}

const result = () => JSON.parse(readFileSync(join(server.last!.dir, `step-${String(steps)}/result.json`), 'utf8')) as { digest: string; accuracy: number; resumedFrom: number[] };

describe.sequential('digits', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    started = [];
    const dir = mkdtempSync(join(tmpdir(), 'digits-test-'));
    undisturbed = await finish(await start(1, [...args, `--dir=${dir}`]));
    rmSync(dir, { recursive: true });
  }, 60_000);

  beforeEach(async () => {
    started = [];
    folder = mkdtempSync(join(tmpdir(), 'digits-test-'));
    server = new ControlServer(folder, worldSize);
    await server.open();
  });

  afterEach(async () => {
    killAll(started);
    await Promise.all(started.map((rank) => rank.exit));
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a gang of four reaches the very weights of one process, and commits shards of all ranks with its result', async () => {
    expect(await finish(await startOnMuster(args))).toBe(undisturbed);
    expect(server.last?.step).toBe(steps);
    expect([...server.last!.files.keys()].sort()).toEqual([
      ...[0, 1, 2, 3].map((rank) => `step-120/optimizer-${String(rank)}-of-4.bin`), 'step-120/result.json', 'step-120/weights.bin',
    ]);
    expect(result()).toMatchObject({ digest: undisturbed, resumedFrom: [] });
    expect(result().accuracy).toBeGreaterThan(0.85);
    expect(server.progress.at(-1)).toMatchObject({ totalSteps: steps });
  });

  it('a gang stopped at a random step by a signal to one rank saves, leaves with 75 and ends with the same weights', async () => {
    const stopAt = randomInt(5, 90);
    const gang = await startOnMuster(paced);
    await gang[0]!.printed(new RegExp(`step=${String(stopAt)}/`));
    gang[2]!.process.kill('SIGTERM');
    expect(await exitCodes(gang), `stopped at ${String(stopAt)}`).toEqual([75, 75, 75, 75]);
    const saved = server.last!.step;
    expect(saved).toBeGreaterThanOrEqual(stopAt);
    expect(gang[0]!.output).toContain(`stopped step=${String(saved)}`);

    server.nextEpoch();
    expect(await finish(await startOnMuster(args)), `stopped at ${String(saved)}`).toBe(undisturbed);
    expect(result().resumedFrom).toEqual([saved]);
  });

  it('a stop told on the control socket is obeyed like the signal', async () => {
    const gang = await startOnMuster(paced);
    await gang[0]!.printed(/step=30\//);
    server.stop = { reason: 'drain', deadlineAt: new Date(Date.now() + 15_000).toISOString() };
    expect(await exitCodes(gang)).toEqual([75, 75, 75, 75]);
    expect(gang.some((rank) => rank.output.includes('reason=drain'))).toBe(true);
  });

  it('a gang that lost a member by kill -9 leaves at once and, restarted from its last commit, ends with the same weights', async () => {
    const killAt = randomInt(25, 90);
    const gang = await startOnMuster(paced);
    await gang[0]!.printed(new RegExp(`step=${String(killAt)}/`));
    gang[randomInt(0, worldSize)]!.process.kill('SIGKILL');
    const codes = await exitCodes(gang);
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect(codes.filter((code) => code === 69)).toHaveLength(3);
    const from = server.last!.step;

    server.nextEpoch();
    expect(await finish(await startOnMuster(args)), `killed at ${String(killAt)}`).toBe(undisturbed);
    expect(result().resumedFrom).toEqual([from]);
  });

  it('the checkpoint interval changes nothing', async () => {
    expect(await finish(await startOnMuster([...args, '--checkpoint-every=7']))).toBe(undisturbed);
  });

  it('a checkpoint of four ranks is resumed by two', async () => {
    const first = await startOnMuster([...args, '--steps=60']);
    await finish(first);
    const { MUSTER_RESUME_DIR = '', MUSTER_RESUME_STEP = '' } = server.environment(0);
    const two = new ControlServer(join(folder, 'two'), 2);
    await two.open();
    try {
      const gang = await start(2, args, (rank) => ({ ...two.environment(rank), MUSTER_RESUME_DIR, MUSTER_RESUME_STEP }));
      expect(await finish(gang)).toBe(undisturbed);
    } finally {
      await two.close();
    }
  });

  it('training goes on while the agent is away, and the result is committed when it is back', async () => {
    const gang = await startOnMuster(paced);
    await gang[0]!.printed(/step=25\//);
    await server.close();
    await gang[0]!.printed(/step=100\//);
    await server.open();
    expect(await finish(gang)).toBe(undisturbed);
    expect(server.last?.step).toBe(steps);
  });

  it('a commit whose answer was lost is told again and counts once', async () => {
    server.lostCommitAnswers = 1;
    expect(await finish(await startOnMuster(args))).toBe(undisturbed);
    expect(new Set(server.commits.map(({ step }) => step)).size).toBe(server.commits.length);
  });

  it('a finished training without its last commit is no success: it leaves with 74', async () => {
    const gang = await startOnMuster([...paced, '--commit-wait-ms=500']);
    await gang[0]!.printed(/step=100\//);
    await server.close();
    expect(await exitCodes(gang)).toEqual([74, 74, 74, 74]);
  });

  it('a fenced gang leaves at once with 77 and publishes nothing more', async () => {
    const gang = await startOnMuster(paced);
    await gang[0]!.printed(/checkpoint step=20 committed/);
    server.isFenced = true;
    const codes = await exitCodes(gang);
    expect(codes).toContain(77);
    for (const code of codes) expect([69, 77]).toContain(code); // a peer may see the closed connection before the reason
    expect(server.last?.step).toBe(20);
  });

  it('a torn checkpoint, and one of another recipe, is refused with 65', async () => {
    await finish(await startOnMuster([...args, '--steps=40']));
    server.nextEpoch();
    expect(await exitCodes(await startOnMuster([...args, '--seed=8']))).toEqual([65, 65, 65, 65]);
    appendFileSync(join(server.last!.dir, 'step-40/weights.bin'), 'x');
    expect(await exitCodes(await startOnMuster(args))).toEqual([65, 65, 65, 65]);
  });

  it('without Muster a run is resumed from its folder, and an altered file there is refused', async () => {
    const dir = join(folder, 'local');
    const gang = await start(2, [...paced, `--dir=${dir}`]);
    await gang[0]!.printed(/step=33\//);
    gang[1]!.process.kill('SIGTERM');
    expect(await exitCodes(gang)).toEqual([75, 75]);
    expect(await finish(await start(4, [...args, `--dir=${dir}`, '--resume']))).toBe(undisturbed);
    appendFileSync(join(dir, `step-${String(steps)}/optimizer-1-of-4.bin`), 'x');
    expect(await exitCodes(await start(1, [...args, `--dir=${dir}`, '--resume']))).toEqual([65]);
  });

  it('strangers on the master port, members of an older epoch among them, are turned away', async () => {
    const port = await freePort();
    const [root] = startGang(1, port, args, () => ({ ...server.environment(0), WORLD_SIZE: '4' }));
    started.push(root!);
    await root!.printed(/start rank=0/);
    const old = startGang(4, port, [...args, '--connect-timeout-ms=2000'], (rank) => ({ ...server.environment(rank), MUSTER_EPOCH: '0' }), 1);
    started.push(...old);
    await garble(port);
    expect(await exitCodes(old)).toEqual([69, 69, 69]);
    const peers = startGang(4, port, args, (rank) => server.environment(rank), 1);
    started.push(...peers);
    expect(await finish([root!, ...peers])).toBe(undisturbed);
  });

  it('a gang that stays incomplete gives up with 69', async () => {
    const alone = await start(1, [...args, '--connect-timeout-ms=500'], () => ({ ...server.environment(0), WORLD_SIZE: '2' }));
    expect(await exitCodes(alone)).toEqual([69]);
  });
});

/** Sends what no rank would send, and waits until rank 0 has closed the connection. */
async function garble(port: number): Promise<void> {
  for (let isClosed = false; !isClosed; ) {
    isClosed = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.alloc(64, 0xff)));
      let isConnected = false;
      socket.on('connect', () => (isConnected = true));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(isConnected));
    });
  }
}
