/** One gang on the whole control plane, undisturbed: what it prints, what is told about it, what it leaves. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask, Refused } from '#services/cli/client.ts';
import { Fleet, openTimeoutMs, untilOpen } from './fleet.ts';
import { openStream } from './streams.ts';
import { until } from './until.ts';

describe('a gang of four on four nodes', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 4 }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  it('runs, prints and ends, a member a node, and no sweep finds anything to repair', async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate, 'echo rank $RANK of $WORLD_SIZE at $MASTER_ADDR:$MASTER_PORT devices $CUDA_VISIBLE_DEVICES;'), members: 4, devicesPerMember: 8 });
    const running = await fleet.state(id, 'RUNNING');
    expect(running.members).toEqual({ total: 4, accepted: 4, ready: 4, gone: 0 });
    expect(fleet.programs({ job: id }).length).toBeGreaterThanOrEqual(4);
    gate.open();
    const ended = await fleet.state(id, 'SUCCEEDED');
    expect(ended).toMatchObject({ attempts: 1, budgets: { userFailures: { used: 0 }, infrastructureFailures: { used: 0 } } });
    expect(await fleet.moves(id)).toEqual(['QUEUED', 'RESERVED', 'STARTING', 'RUNNING', 'SUCCEEDED']);

    const [attempt] = await fleet.attempts(id);
    expect(attempt).toMatchObject({ state: 'SUCCEEDED', fenced: true });
    expect(new Set(attempt?.members.map(({ node }) => node)).size).toBe(4);
    for (const member of attempt?.members ?? []) expect(member).toMatchObject({ state: 'exited', exitCode: 0, signal: null, devices: [0, 1, 2, 3, 4, 5, 6, 7] });

    const masters = new Set<string>();
    for (const rank of [0, 1, 2, 3]) {
      const text = await until(`the output of rank ${rank}`, async () => (await fleet.logs(id, { rank })) || undefined);
      const [, master] = /^\[\d\] rank \d of 4 at (\S+) devices 0,1,2,3,4,5,6,7$/m.exec(text) ?? [];
      expect(text).toContain(`rank ${rank} of 4`);
      masters.add(master ?? text);
    }
    expect(masters.size).toBe(1);
    await fleet.expectNothingLeft();
    expect(fleet.sweepFindings()).toEqual([]);
  });

  it('keeps its logs by attempt, though the agent that sent them is gone', async () => {
    const once = fleet.gate();
    const id = await fleet.submit({
      argv: ['/bin/sh', '-c', `echo attempt of $MUSTER_EPOCH; [ -e ${once.file}.$RANK ] || { touch ${once.file}.$RANK; exit 3; }`],
      members: 1, retry: { userFailures: 1, backoffSeconds: 0 },
    });
    await fleet.state(id, 'SUCCEEDED');
    const attempts = await fleet.attempts(id);
    expect(attempts.map(({ state }) => state)).toEqual(['QUEUED', 'SUCCEEDED']);
    expect(attempts.map(({ members }) => members[0]?.exitCode)).toEqual([3, 0]);
    const all = await until('the output of both attempts', async () => {
      const text = await fleet.logs(id);
      return attempts.every(({ epoch }) => text.includes(`attempt of ${epoch}`)) && text;
    });
    const nodes = new Set(attempts.map(({ members }) => members[0]?.node ?? ''));
    for (const node of nodes) await fleet.agent(node).kill('SIGTERM');
    expect(await fleet.logs(id)).toBe(all);
    for (const { epoch } of attempts) {
      const text = await fleet.logs(id, { attempt: epoch });
      expect(text).toContain(`attempt of ${epoch}`);
      expect(text.match(/attempt of/g)).toHaveLength(1);
    }
    for (const node of nodes) await fleet.startAgent(node);
    await fleet.ready(4);
  });

  it('tells its events as a stream that goes on where a reader stopped', async () => {
    const id = await fleet.submit({ argv: ['/bin/true'], members: 4 });
    const isEnd = ({ event, data }: { event?: string | undefined; data: string }): boolean => event !== 'job.attention' && (JSON.parse(data) as { payload: { state: string } }).payload.state === 'SUCCEEDED';
    const whole = await openStream(fleet, `/v1/events?after=0&job=${id}`);
    const all = await whole.read(isEnd);
    whole.close();
    const states = all.filter(({ event }) => event !== 'job.attention').map(({ data }) => (JSON.parse(data) as { payload: { state: string } }).payload.state);
    expect(states).toEqual(['QUEUED', 'RESERVED', 'STARTING', 'RUNNING', 'SUCCEEDED'].filter((state) => states.includes(state)));
    expect(states.at(0)).toBe('QUEUED');
    const middle = Math.floor(all.length / 2);
    const rest = await openStream(fleet, `/v1/events?job=${id}`, { 'last-event-id': all[middle - 1]?.id ?? '' });
    expect((await rest.read(isEnd)).map(({ id: pos }) => pos)).toEqual(all.slice(middle).map(({ id: pos }) => pos));
    rest.close();
  });

  it('answers for an unknown job by its code, in logs too', async () => {
    const asking = ask(fleet.api.GET('/v1/jobs/{job}', { params: { path: { job: 'job_00000000000000000000000000' } } }));
    await expect(asking).rejects.toThrow(Refused);
    await expect(fleet.logs('job_00000000000000000000000000')).rejects.toThrow('404');
  });
});
