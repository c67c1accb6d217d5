import { describe, expect, it } from 'vitest';
import type { FleetNode, PendingJob, Placement } from '#services/scheduler/model.ts';
import { round } from '#services/scheduler/round.ts';
import { job, node, stateOf } from './fleet.ts';

const plan = (nodes: readonly FleetNode[], jobs: readonly PendingJob[]) => round(stateOf(nodes, jobs), { membersMax: 1_000 });
const where = (placement: Placement | undefined): [string, number[]][] => placement!.members.map((member) => [member.nodeId, [...member.devices]]);
const rack = (name: string) => ({ zone: 'z', rack: name });

describe('order', () => {
  it('higher priority first, then submit time, then id', () => {
    const jobs = [
      job({}, { id: 'c', priority: 100, submittedAtUs: 1 }), job({}, { id: 'b', submittedAtUs: 2 }),
      job({}, { id: 'a', submittedAtUs: 2 }), job({ cpuMilli: 1 }, { id: 'd', priority: 900, submittedAtUs: 9 }),
    ];
    const { placements } = plan([node({ id: 'n' })], jobs);
    expect(placements.map((p) => p.job.id)).toEqual(['d', 'a', 'b', 'c']);
  });

  it('a job that does not fit lets later, smaller ones start', () => {
    const big = job({ devicesPerMember: 8 });
    const small = job({ devicesPerMember: 1 });
    const { placements, reasons } = plan([node({ id: 'n', taken: [0] })], [big, small]);
    expect(placements.map((p) => p.job.id)).toEqual([small.id]);
    expect([...reasons.values()].map((r) => r.code)).toEqual(['not_enough_devices_now']);
  });

  it('a shape that was refused is asked once, whoever else wants it', () => {
    const jobs = Array.from({ length: 500 }, (_, n) => job({ devicesPerMember: 9 }, { priority: n % 2 === 0 ? 500 : 900 }));
    const { trace, reasons } = plan([node({ id: 'n' })], jobs);
    expect(trace.fitChecks).toBe(1);
    expect(trace.bucketsVisited).toBe(2);
    expect(reasons.size).toBe(2);
  });

  it('ends at its budget of members, never within a gang, and says that there is more', () => {
    const jobs = [job({ members: 3 }), job({ members: 3 }), job({ members: 3 })];
    const { placements, more } = round(stateOf([node({ id: 'n', count: 16 })], jobs), { membersMax: 4 });
    expect(placements).toHaveLength(2);
    expect(more).toBe(true);
  });
});

describe('place', () => {
  it('takes the fullest node that still fits, and its lowest devices', () => {
    const nodes = [node({ id: 'a' }), node({ id: 'b', taken: [0, 2, 4] }), node({ id: 'c', taken: [0, 1, 2, 3, 4, 5, 6] })];
    expect(where(plan(nodes, [job({ devicesPerMember: 2 })]).placements[0])).toEqual([['b', [1, 3]]]);
  });

  it('spreads a gang over as few nodes as can be, the last of them the tightest', () => {
    const nodes = [node({ id: 'a' }), node({ id: 'b', taken: [0, 1] }), node({ id: 'c', taken: [0, 1, 2, 3, 4, 5] }), node({ id: 'd', taken: [0, 1, 2, 3] })];
    const { placements } = plan(nodes, [job({ members: 10 })]);
    expect([...new Set(where(placements[0]).map(([id]) => id))]).toEqual(['a', 'c']);
  });

  it('counts local ranks by node and keeps neighbouring ranks together', () => {
    const { placements } = plan([node({ id: 'a', count: 4 }), node({ id: 'b', count: 4 })], [job({ members: 4, devicesPerMember: 2 })]);
    expect(placements[0]!.members.map((m) => [m.rank, m.nodeId, m.localRank, m.devices])).toEqual([
      [0, 'a', 0, [0, 1]], [1, 'a', 1, [2, 3]], [2, 'b', 0, [0, 1]], [3, 'b', 1, [2, 3]],
    ]);
  });

  it('required topology: the tightest domain that holds the gang, never across two', () => {
    const nodes = [
      node({ id: 'a1', topology: rack('a') }), node({ id: 'a2', topology: rack('a') }),
      node({ id: 'b1', topology: rack('b') }), node({ id: 'b2', topology: rack('b'), taken: [0, 1, 2] }),
    ];
    const twelve = job({ members: 12, topology: { level: 'rack', mode: 'required' } });
    const first = plan(nodes, [twelve]);
    expect(new Set(where(first.placements[0]).map(([id]) => id[0]))).toEqual(new Set(['b']));
    expect(plan(nodes, [job({ members: 17, topology: { level: 'rack', mode: 'required' } })]).placements).toEqual([]);
  });

  it('two racks of one name in two zones are two', () => {
    const nodes = [node({ id: 'x', count: 4, topology: { zone: 'x', rack: '1' } }), node({ id: 'y', count: 4, topology: { zone: 'y', rack: '1' } })];
    expect(plan(nodes, [job({ members: 8, topology: { level: 'rack', mode: 'required' } })]).placements).toEqual([]);
  });

  it('a node that does not know its rack is in none', () => {
    const asked = job({ topology: { level: 'rack', mode: 'required' } });
    expect(plan([node({ id: 'n' })], [asked]).placements).toEqual([]);
    expect(plan([node({ id: 'n' })], [job({ topology: { level: 'rack', mode: 'preferred' } })]).placements).toHaveLength(1);
  });

  it('preferred topology: the level asked for, else the next wider one', () => {
    const nodes = ['a', 'b', 'c'].map((name) => node({ id: name, count: 4, topology: { zone: name === 'c' ? 'far' : 'near', rack: name } }));
    const narrow = plan(nodes, [job({ members: 4, topology: { level: 'rack', mode: 'preferred' } })]);
    expect(new Set(where(narrow.placements[0]).map(([id]) => id)).size).toBe(1);
    const wide = plan(nodes, [job({ members: 8, topology: { level: 'rack', mode: 'preferred' } })]);
    expect(new Set(where(wide.placements[0]).map(([id]) => id))).toEqual(new Set(['a', 'b']));
  });

  it('one device model a gang, any of those asked for', () => {
    const nodes = [node({ id: 'a', count: 3, model: 'A100' }), node({ id: 'h', count: 3, model: 'H100' }), node({ id: 'l', model: 'L4' })];
    expect(plan(nodes, [job({ members: 4, deviceModels: ['A100', 'H100'] })]).placements).toEqual([]);
    expect(where(plan(nodes, [job({ members: 2, deviceModels: ['H100', 'A100'] })]).placements[0]).map(([id]) => id)).toEqual(['h', 'h']);
  });

  it('two models in one node are told apart', () => {
    const devices = [0, 1, 2, 3].map((index) => ({ index, model: index % 2 ? 'H100' : 'A100', healthy: true, freeMilli: 1_000 }));
    expect(where(plan([node({ id: 'n', devices })], [job({ devicesPerMember: 2, deviceModels: ['H100'] })]).placements[0])).toEqual([['n', [1, 3]]]);
  });

  it('a device that is not healthy takes nothing', () => {
    const devices = [0, 1].map((index) => ({ index, model: 'A100', healthy: index === 1, freeMilli: 1_000 }));
    expect(where(plan([node({ id: 'n', devices })], [job()]).placements[0])).toEqual([['n', [1]]]);
  });

  it('nodes to avoid are used last, even across racks', () => {
    const nodes = [node({ id: 'a', count: 2 }), node({ id: 'b', count: 2, taken: [0] }), node({ id: 'c', count: 2 })];
    const shy = job({ members: 2 }, { avoidNodes: ['b'] });
    expect(where(plan(nodes, [shy]).placements[0]).map(([id]) => id)).toEqual(['a', 'a']);
    const needy = job({ members: 5 }, { avoidNodes: ['b'] });
    expect(where(plan(nodes, [needy]).placements[0]).filter(([id]) => id === 'b')).toHaveLength(1);
  });

  it('a node to avoid is worse than a wider domain than was preferred', () => {
    const nodes = ['a', 'b', 'c'].map((id) => node({ id, count: 1, topology: { zone: 'z', rack: id === 'c' ? 'other' : 'same' } }));
    const shy = job({ members: 2, topology: { level: 'rack', mode: 'preferred' } }, { avoidNodes: ['b'] });
    expect(where(plan(nodes, [shy]).placements[0]).map(([id]) => id)).toEqual(['c', 'a']);
  });

  it('the selector is a condition, not a wish', () => {
    const nodes = [node({ id: 'a', labels: { disk: 'slow' } }), node({ id: 'b', labels: { disk: 'fast', extra: 'x' } })];
    expect(where(plan(nodes, [job({ nodeSelector: { disk: 'fast' } })]).placements[0])[0]![0]).toBe('b');
  });

  it('jobs without devices take cpu and memory only', () => {
    const nodes = [node({ id: 'a', cpuFreeMilli: 1_000 }), node({ id: 'b', cpuFreeMilli: 3_000 })];
    const jobs = [1, 2, 3, 4, 5].map(() => job({ devicesPerMember: 0, cpuMilli: 1_000 }));
    const { placements } = plan(nodes, jobs);
    expect(placements.map((p) => where(p)[0])).toEqual([['a', []], ['b', []], ['b', []], ['b', []]]);
  });

  it('ranks go back to the nodes that hold their part of a checkpoint, whatever else is free', () => {
    const nodes = ['a', 'b', 'c'].map((id) => node({ id, count: 2 }));
    const pinned = job({ members: 3 }, { checkpointId: 'ckpt', pins: { nodes: ['a', 'c'], ranks: { 0: 'c', 1: 'a', 2: 'c' } } });
    expect(plan(nodes, [pinned]).placements[0]!.members.map((m) => [m.rank, m.nodeId, m.localRank, m.devices])).toEqual([[0, 'c', 0, [0]], [1, 'a', 0, [0]], [2, 'c', 1, [1]]]);
    const rankless = job({ members: 3 }, { checkpointId: 'ckpt', pins: { nodes: ['b', 'c'], ranks: { 0: 'c' } } });
    const members = plan(nodes, [rankless]).placements[0]!.members;
    expect(members[0]!.nodeId).toBe('c');
    expect(members.every((m) => m.nodeId !== 'a')).toBe(true);
  });

  it('a ticket keeps devices for its job and for nobody else', () => {
    const nodes = [node({ id: 'n', count: 2, taken: [0, 1] })];
    const owner = job({ members: 2 }, { ticket: { id: 't', shares: [{ nodeId: 'n', cpuMilli: 0, memoryBytes: 0n, devices: [{ index: 0, milli: 1_000 }, { index: 1, milli: 1_000 }] }] } });
    const { placements } = plan(nodes, [job({ members: 2 }, { priority: 900 }), owner]);
    expect(placements.map((p) => p.job.id)).toEqual([owner.id]);
  });

  it('what a ticket kept and its job did not use is free for the next', () => {
    const share = (index: number) => ({ nodeId: 'n', cpuMilli: 0, memoryBytes: 0n, devices: [{ index, milli: 1_000 }] });
    const owner = job({ members: 1 }, { ticket: { id: 't', shares: [share(0), share(1)] } });
    const { placements } = plan([node({ id: 'n', count: 2, taken: [0, 1] })], [owner, job()]);
    expect(placements.map((p) => where(p))).toEqual([[['n', [0]]], [['n', [1]]]]);
  });
});
