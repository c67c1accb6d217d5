/** The digits gang: however it is disturbed, its weights are those of an undisturbed run, bit for bit. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { digestIn, referenceDigest } from '#infra/demo/reference.ts';
import { ask } from '#services/cli/client.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { Fleet, openTimeoutMs, type Attempt } from './fleet.ts';
import { until } from './until.ts';

const steps = 60;
/** Only so that there is a middle of the training to disturb. */
const stepMs = 50;
const argv = [process.execPath, 'infra/examples/digits/train.ts', `--steps=${steps}`, '--checkpoint-every=10', '--progress-every=1', '--commit-wait-ms=20000'];
const spec = {
  name: 'digits', workingDirectory: repositoryRoot, members: 4, devicesPerMember: 4, topology: { level: 'rack', mode: 'preferred' } as const,
  retry: { userFailures: 5, infrastructureFailures: 5, backoffSeconds: 0 }, checkpoint: { graceSeconds: 5 },
};
const timeout = 90_000;

describe('the digits gang ends with the digest of an undisturbed run', () => {
  let fleet: Fleet;
  let reference: string;
  beforeAll(async () => {
    [fleet, reference] = await Promise.all([Fleet.open({ nodes: 4 }), referenceDigest({ name: 'digits', argv, workingDirectory: repositoryRoot })]);
  }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  async function expectDigest(id: string): Promise<Attempt[]> {
    await fleet.state(id, 'SUCCEEDED', 60_000);
    const last = await fleet.attempt(id);
    const text = await until('the digest in the log of rank 0', async () => {
      const log = await fleet.logs(id, { rank: 0, attempt: last.epoch });
      return log.includes('digits: done') && log;
    });
    expect(digestIn(text)).toBe(reference);
    return fleet.attempts(id);
  }

  /** Trains until a commit exists and some steps after it. */
  async function submitAndTrain(): Promise<string> {
    const id = await fleet.submit({ ...spec, argv: [...argv, `--step-ms=${stepMs}`] });
    await fleet.when(id, 'past its first commit', (job) => job.state === 'RUNNING' && Number(job.checkpoint?.step ?? 0) >= 10 && Number(job.progress?.step ?? 0) >= 13, 40_000);
    return id;
  }

  it('undisturbed', { timeout }, async () => {
    const id = await fleet.submit({ ...spec, argv });
    expect(await expectDigest(id)).toHaveLength(1);
    expect((await fleet.job(id)).checkpoint).toMatchObject({ step: String(steps) });
  });

  it('though a member is killed with SIGKILL, and goes on from the last commit', { timeout }, async () => {
    const id = await submitAndTrain();
    const victim = (await fleet.attempt(id)).members.find(({ rank }) => rank === 2);
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const attempts = await expectDigest(id);
    expect(attempts).toHaveLength(2);
    expect(attempts[0]?.members[2]).toMatchObject({ signal: 'SIGKILL', exitCode: null });
    await expectResumed(id, attempts);
    expect((await fleet.job(id)).budgets.userFailures.used).toBe(1);
  });

  it('though it has to leave a cordoned node when a member of it is killed', { timeout }, async () => {
    const id = await submitAndTrain();
    const victim = (await fleet.attempt(id)).members.find(({ rank }) => rank === 3);
    const node = victim?.node ?? '';
    await ask(fleet.api.POST('/v1/nodes/{node}/cordon', { params: { path: { node } }, body: { reason: 'test' } }));
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const attempts = await expectDigest(id);
    expect(attempts[1]?.members.map((member) => member.node)).not.toContain(node);
    await expectResumed(id, attempts);
    await ask(fleet.api.POST('/v1/nodes/{node}/uncordon', { params: { path: { node } }, body: {} }));
    await fleet.ready(4);
  });

  it('though the node of a member dies with its agent', { timeout }, async () => {
    const id = await submitAndTrain();
    const node = (await fleet.attempt(id)).members[1]?.node ?? '';
    await fleet.killNode(node);
    const attempts = await expectDigest(id);
    expect(attempts.at(-1)?.members.map((member) => member.node)).not.toContain(node);
    await expectResumed(id, attempts);
    await fleet.reboot(node);
    await fleet.ready(4);
  });

  async function expectResumed(id: string, attempts: readonly Attempt[]): Promise<void> {
    const from = attempts.at(-1)?.resumedFrom;
    const checkpoint = (await fleet.checkpoints(id)).find((each) => each.id === from);
    expect(checkpoint).toMatchObject({ epoch: attempts[0]?.epoch, state: 'COMMITTED' });
    expect(Number(checkpoint?.step)).toBeGreaterThanOrEqual(10);
  }
});
