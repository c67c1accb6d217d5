/** Simulated members follow the agent's rules (P5–P8): what a real agent tests with processes, here with timers. */
import { describe, expect, it } from 'vitest';
import type { MemberLaunch, RunItem } from '#services/fleet/model.ts';
import { SimulatedMembers } from '#services/simfleet/members.ts';
import { completeScenario } from '#services/simfleet/scenario.ts';
import { until } from '../../e2e/until.ts';

const scenario = completeScenario({ version: 1, nodes: { count: 1 }, programs: {
  forever: { startMs: [0, 0], stopMs: [0, 0] }, deaf: { startMs: [0, 0], ignoresStop: 1 },
  crash: { startMs: [0, 0], runMs: [0, 0], endings: [{ weight: 1, exitCode: 3 }] }, refused: { endings: [{ weight: 1, refused: 'disk_full' }] },
} });
const launch = (program: string, change: Partial<MemberLaunch> = {}): MemberLaunch => ({
  argv: [program], env: {}, workingDirectory: null, worldSize: 1, localRank: 0, devices: [0], readiness: 'start', exclusive: false, master: null, resume: null, logBytesMax: '0', ...change,
});
const key = { job: 'job_1', epoch: '1', rank: 0 };
const start = (program: string, of = key, change: Partial<MemberLaunch> = {}): RunItem => ({ ...of, order: 'start', launch: launch(program, change) });
const nothing = { run: [], stop: [], ack: [] };

function open() {
  const counts = new Map<string, number>();
  let changes = 0;
  const members = new SimulatedMembers(scenario, { changed: () => { changes += 1; }, count: (what) => counts.set(what, (counts.get(what) ?? 0) + 1) });
  return { members, counts, changes: () => changes, states: () => members.observe().map(({ epoch, state }) => `${epoch} ${state}`) };
}

describe('a simulated member', () => {
  it('is accepted, then ready, then exits as its program says, and is told until acknowledged (P8)', async () => {
    const { members, states } = open();
    members.apply({ ...nothing, run: [start('crash')] });
    expect(states()).toEqual(['1 accepted']);
    await until('the exit', () => states()[0] === '1 exited');
    expect(members.observe()[0]).toMatchObject({ state: 'exited', exitCode: 3 });
    members.apply(nothing);
    expect(states()).toEqual(['1 exited']);
    members.apply({ ...nothing, ack: [key] });
    expect(states()).toEqual([]);
  });

  it('P5 P7 told to keep or stop what it does not know, it reports gone, and a start that comes late does nothing', () => {
    for (const order of [{ ...nothing, run: [{ ...key, order: 'keep' as const }] }, { ...nothing, stop: [{ ...key, reason: 'cancel', graceMs: 10 }] }]) {
      const { members, states, counts } = open();
      members.apply(order);
      members.apply({ ...nothing, run: [start('forever')] });
      expect(states()).toEqual(['1 gone']);
      expect(counts.get('started')).toBeUndefined();
    }
  });

  it('P6 is started once, however often it is told', () => {
    const { members, counts } = open();
    for (let times = 0; times < 3; times++) members.apply({ ...nothing, run: [start('forever')] });
    expect(counts.get('started')).toBe(1);
    members.close();
  });

  it('waits for the address of rank 0', () => {
    const { members, states } = open();
    members.apply({ ...nothing, run: [start('forever', { ...key, rank: 1 })] });
    expect(states()).toEqual([]);
    members.apply({ ...nothing, run: [start('forever', { ...key, rank: 1 }, { master: { address: '127.0.0.1', port: 1 } })] });
    expect(states()).toEqual(['1 accepted']);
    members.close();
  });

  it('of an older epoch ends before the newer one starts', async () => {
    const { members, states } = open();
    members.apply({ ...nothing, run: [start('forever')] });
    const newer = { ...nothing, run: [start('forever', { ...key, epoch: '2' })] };
    members.apply(newer);
    expect(states()).toEqual(['1 accepted']);
    await until('the older one to end', () => states()[0] === '1 exited');
    members.apply(newer);
    expect(states()).toEqual(['1 exited', '2 accepted']);
    members.close();
  });

  it('that ignores the stop is killed at its deadline', async () => {
    const { members } = open();
    members.apply({ ...nothing, run: [start('deaf')] });
    members.apply({ ...nothing, stop: [{ ...key, reason: 'cancel', graceMs: 20 }] });
    await until('the kill', () => members.observe()[0]?.state === 'exited');
    expect(members.observe()[0]).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  it('that is refused says why, and one whose node boots anew is gone', () => {
    const { members } = open();
    members.apply({ ...nothing, run: [start('refused'), start('forever', { ...key, job: 'job_2' })] });
    members.loseAll();
    expect(members.observe()).toMatchObject([{ state: 'refused', code: 'disk_full' }, { job: 'job_2', state: 'gone' }]);
  });
});
