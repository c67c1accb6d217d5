/** How jobs end that don't succeed: by a cancel at each stage, by limits, by budgets; and what a retry makes of it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask, Refused } from '#services/cli/client.ts';
import { Fleet, openTimeoutMs, untilOpen } from './fleet.ts';
import { until } from './until.ts';

const timeout = 60_000;
const stubborn = ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'];

describe('a cancel', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 2 }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  const cancel = (id: string) => ask(fleet.api.POST('/v1/jobs/{job}/cancel', { params: { path: { job: id } }, body: { reason: 'enough' } }));

  it('of a waiting job ends it at once, without an attempt', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/true'], members: 1, devicesPerMember: 64 });
    await fleet.when(id, 'that says why it waits', (job) => job.waiting !== null);
    expect((await cancel(id)).state).toBe('CANCELLED');
    expect(await fleet.attempts(id)).toEqual([]);
  });

  it('of a starting job ends it when its processes are gone', { timeout }, async () => {
    const id = await fleet.submit({ argv: untilOpen(fleet.gate()), members: 2, readiness: 'signal' });
    await fleet.state(id, 'STARTING');
    expect((await cancel(id)).state).toBe('CANCELLING');
    await fleet.state(id, 'CANCELLED');
    expect(await fleet.moves(id)).toEqual(['QUEUED', 'RESERVED', 'STARTING', 'CANCELLING', 'CANCELLED']);
  });

  it('at the very moment of the submission ends it too, whatever it had come to', { timeout }, async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, async () => {
      const id = await fleet.submit({ argv: untilOpen(fleet.gate()), members: 2, devicesPerMember: 1 });
      await cancel(id);
      return id;
    }));
    for (const id of ids) await fleet.state(id, 'CANCELLED');
  });

  it('of a running job grants its members their time for a last word, and counts on no budget', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'trap "echo saved; exit 5" TERM; while :; do sleep 0.05; done'], members: 2 });
    await fleet.state(id, 'RUNNING');
    await cancel(id);
    const ended = await fleet.state(id, 'CANCELLED');
    expect(ended.budgets.userFailures.used).toBe(0);
    expect((await fleet.attempt(id)).members.map(({ exitCode }) => exitCode)).toEqual([5, 5]);
    await until('the last words', async () => (await fleet.logs(id)).includes('saved'));
  });

  it('while a failed gang is being vacated ends it instead of its restart', { timeout }, async () => {
    const id = await fleet.submit({
      argv: ['/bin/sh', '-c', 'if [ $RANK = 1 ]; then exit 1; fi; trap "" TERM; while :; do sleep 0.1; done'],
      members: 2, retry: { userFailures: 5 }, checkpoint: { graceSeconds: 3 },
    });
    await fleet.when(id, 'VACATING', ({ state }) => state === 'VACATING');
    await cancel(id);
    await fleet.state(id, 'CANCELLED');
    expect(await fleet.attempts(id)).toHaveLength(1);
  });

  it('told twice is one, and of an ended job is refused', { timeout }, async () => {
    const id = await fleet.submit({ argv: stubborn, checkpoint: { graceSeconds: 1 } });
    await fleet.state(id, 'RUNNING');
    const [first, second] = [await cancel(id), await cancel(id)];
    expect(second.version).toBe(first.version);
    await fleet.state(id, 'CANCELLED');
    const done = await fleet.submit({ argv: ['/bin/true'] });
    await fleet.state(done, 'SUCCEEDED');
    await expect(cancel(done)).rejects.toThrow(Refused);
  });
});

describe('a limit', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 2, settings: { MUSTER_START_TIMEOUT_MS: '1500' } }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  it('P29 of time stops a job and fails it, though restarts are left', { timeout }, async () => {
    const id = await fleet.submit({ argv: untilOpen(fleet.gate()), members: 2, timeLimitSeconds: 1, retry: { userFailures: 5 } });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended.reason).toContain('time limit');
    expect(await fleet.attempts(id)).toHaveLength(1);
  });

  it('of the queue fails a job that never started, and says so', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/true'], devicesPerMember: 64, queueDeadlineSeconds: 1 });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended.reason).toContain('queue deadline');
    expect(await fleet.attempts(id)).toEqual([]);
  });

  it('of the start restarts a gang that never gets ready, by the budget of infrastructure', { timeout }, async () => {
    const id = await fleet.submit({ argv: untilOpen(fleet.gate()), members: 2, readiness: 'signal', retry: { infrastructureFailures: 1, backoffSeconds: 0 } });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended.reason).toContain('did not start in time');
    expect(ended).toMatchObject({ attempts: 2, budgets: { infrastructureFailures: { used: 2, max: 1 }, userFailures: { used: 0 } } });
  });

  it('of user failures is reached by failures of the program only', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'exit 3'], members: 2, retry: { userFailures: 2, infrastructureFailures: 0, backoffSeconds: 0 } });
    const ended = await fleet.state(id, 'FAILED');
    expect(ended).toMatchObject({ attempts: 3, budgets: { userFailures: { used: 3, max: 2 }, infrastructureFailures: { used: 0 } } });
  });

  it('of back-off is kept: a failed gang waits for it, keeps its submit time, and says until when', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'exit 3'], retry: { userFailures: 1, backoffSeconds: 2 } });
    const before = await fleet.job(id);
    const waiting = await fleet.when(id, 'that waits for its restart', (job) => job.state === 'QUEUED' && job.notBefore !== null);
    expect(waiting.submittedAt).toBe(before.submittedAt);
    await fleet.state(id, 'FAILED');
    const [, second] = await fleet.attempts(id);
    expect(Date.parse(second?.reservedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(waiting.notBefore ?? ''));
  });

  it('a retry by a person is a new job that names the old one', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'exit 3'] });
    await fleet.state(id, 'FAILED');
    const again = await ask(fleet.api.POST('/v1/jobs/{job}/retry', { params: { path: { job: id } }, body: {} }));
    expect(again).toMatchObject({ retryOf: id });
    expect(again.id).not.toBe(id);
    await fleet.state(again.id, 'FAILED');
    expect((await fleet.job(id)).state).toBe('FAILED');
  });
});
