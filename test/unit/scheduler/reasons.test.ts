import { describe, expect, it } from 'vitest';
import type { FleetNode, PendingJob, Reason, RoundState } from '#services/scheduler/model.ts';
import { round } from '#services/scheduler/round.ts';
import { FleetState } from '#services/scheduler/state.ts';
import { delayReason } from '#services/scheduler/explain.ts';
import { job, node, stateOf } from './fleet.ts';

function why(nodes: readonly FleetNode[], asked: PendingJob, limits: Partial<RoundState> = {}): Reason {
  const { placements, reasons } = round(stateOf(nodes, [asked], limits), { membersMax: 100 });
  expect(placements).toEqual([]);
  return [...reasons.values()][0]!;
}

describe('a job that can never fit says which axis', () => {
  it('fleet_empty', () => { expect(why([], job()).code).toBe('fleet_empty'); });

  it('selector_matches_no_node', () => {
    expect(why([node({ id: 'a' })], job({ nodeSelector: { disk: 'fast' } }))).toEqual({ code: 'selector_matches_no_node', detail: 'None of 1 nodes has the labels disk=fast.' });
  });

  it('no_such_device_model', () => {
    expect(why([node({ id: 'a' })], job({ deviceModels: ['H100'] }))).toEqual({ code: 'no_such_device_model', detail: 'None of 1 matching nodes has a healthy H100.' });
  });

  it('no_node_large_enough: what a member asks, what the largest has', () => {
    const reason = why([node({ id: 'a' }), node({ id: 'b', count: 4 })], job({ devicesPerMember: 16, deviceModels: ['A100'] }));
    expect(reason.code).toBe('no_node_large_enough');
    expect(reason.detail).toContain('16 devices of A100');
    expect(reason.detail).toContain('the largest matching node has 8 devices');
    expect(why([node({ id: 'a' })], job({ devicesPerMember: 0, cpuMilli: 65_000 })).code).toBe('no_node_large_enough');
    expect(why([node({ id: 'a' })], job({ devicesPerMember: 0, memoryBytes: 1_001n })).code).toBe('no_node_large_enough');
  });

  it('no_domain_large_enough: the gang is larger than the best rack even when that is empty', () => {
    const nodes = ['a', 'b'].map((id) => node({ id, topology: { rack: id }, taken: [0] }));
    const reason = why(nodes, job({ members: 12, topology: { level: 'rack', mode: 'required' } }));
    expect(reason).toEqual({ code: 'no_domain_large_enough', detail: 'Needs room for 12 members in one rack; the best would hold 8 if it were empty.' });
  });
});

describe('a job that waits for something says for what', () => {
  it('not_enough_devices_now: needed, free, and how far the best domain goes', () => {
    const nodes = ['a', 'b'].map((id) => node({ id, topology: { rack: 'r' }, taken: id === 'a' ? [0, 1, 2] : [] }));
    const reason = why(nodes, job({ members: 16, topology: { level: 'rack', mode: 'required' } }));
    expect(reason.code).toBe('not_enough_devices_now');
    expect(reason.detail).toBe('Needs 16 devices in one rack, 13 are free in the best; the best in one rack holds 13 of 16 members now. 2 nodes match.');
  });

  it('not_enough_cpu_now and not_enough_memory_now name the scarce one', () => {
    expect(why([node({ id: 'a', cpuFreeMilli: 10 })], job({ cpuMilli: 100 })).code).toBe('not_enough_cpu_now');
    expect(why([node({ id: 'a', memoryFreeBytes: 10n })], job({ memoryBytes: 100n })).code).toBe('not_enough_memory_now');
  });

  it('nodes_cordoned: it would fit, were they not cordoned or away', () => {
    const reason = why([node({ id: 'a', schedulable: false }), node({ id: 'b', count: 1 })], job({ devicesPerMember: 4 }));
    expect(reason.code).toBe('nodes_cordoned');
    expect(reason.detail).toContain('Cordoned or away: a.');
  });

  it('node_holding_checkpoint_away', () => {
    const pinned = job({}, { checkpointId: 'c', pins: { nodes: ['a'], ranks: { 0: 'a' } } });
    expect(why([node({ id: 'a', schedulable: false }), node({ id: 'b' })], pinned)).toEqual({
      code: 'node_holding_checkpoint_away', detail: 'Its last checkpoint lies on a only; no work now on a.',
    });
    expect(why([node({ id: 'a', count: 0 }), node({ id: 'b' })], pinned).code).toBe('node_holding_checkpoint_too_small');
    expect(why([node({ id: 'a', taken: [0, 1, 2, 3, 4, 5, 6, 7] }), node({ id: 'b' })], pinned).code).toBe('not_enough_devices_now');
  });

  it('supervision_away: as many starts as are allowed are unsupervised', () => {
    expect(why([node({ id: 'a' })], job(), { unsupervisedStarts: 5, unsupervisedStartsMax: 5 }).code).toBe('supervision_away');
    const jobs = [job(), job(), job()];
    const { placements } = round(stateOf([node({ id: 'a' })], jobs, { unsupervisedStarts: 3, unsupervisedStartsMax: 5 }), { membersMax: 100 });
    expect(placements).toHaveLength(2);
  });

  it('P20 older_epoch_not_gone, for exclusive jobs and heard nodes only', () => {
    const exclusive = job({}, { exclusive: true, olderEpochNodes: ['a'] });
    expect(why([node({ id: 'a' })], exclusive).code).toBe('older_epoch_not_gone');
    expect(round(stateOf([node({ id: 'a', heard: false, schedulable: false }), node({ id: 'b' })], [exclusive]), { membersMax: 1 }).placements).toHaveLength(1);
    expect(round(stateOf([node({ id: 'a' })], [job({}, { olderEpochNodes: ['a'] })]), { membersMax: 1 }).placements).toHaveLength(1);
  });

  it('no_readable_checkpoint: it never starts at step 0', () => {
    expect(why([node({ id: 'a' })], job({}, { unreadable: true })).code).toBe('no_readable_checkpoint');
  });

  it('waiting_not_before: until its back-off is over it stands in no bucket', () => {
    const state = new FleetState(10);
    const later = job({}, { notBeforeMs: 1_000 });
    state.setPending(later, 999);
    expect(delayReason(later)).toEqual({ code: 'waiting_not_before', detail: 'Back-off after a failure: not before 1970-01-01T00:00:01.000Z.' });
    expect(state.buckets.size).toBe(0);
    expect(state.nextDueMs()).toBe(1_000);
    expect(state.wakeDue(1_000)).toEqual([later]);
    expect(state.buckets.size).toBe(1);
  });
});

describe('the model', () => {
  it('forgets a job that is read again with another back-off', () => {
    const state = new FleetState(10);
    const first = job({}, { notBeforeMs: 1_000 });
    state.setPending(first, 0);
    state.setPending({ ...first, notBeforeMs: 5_000 }, 0);
    expect(state.wakeDue(2_000)).toEqual([]);
    expect(state.nextDueMs()).toBe(5_000);
    state.removePending(first.id);
    expect(state.nextDueMs()).toBeUndefined();
  });

  it('takes and gives back exactly what a placement with a ticket uses', () => {
    const state = new FleetState(10);
    state.setNode(node({ id: 'n', count: 2, taken: [0, 1], cpuFreeMilli: 0, cpuMilli: 200 }));
    const share = (index: number, cpuMilli: number) => ({ nodeId: 'n', cpuMilli, memoryBytes: 0n, devices: [{ index, milli: 1_000 }] });
    const owner = job({ cpuMilli: 100 }, { ticket: { id: 't', shares: [share(0, 100), share(1, 100)] } });
    state.setPending(owner, 0);
    const { placements } = round(state, { membersMax: 10 });
    state.applyPlacement(placements[0]!);
    const after = state.nodes.get('n')!;
    expect(after.devices.map((device) => device.freeMilli)).toEqual([0, 1_000]);
    expect(after.cpuFreeMilli).toBe(100);
    expect(state.waiting).toBe(0);
  });
});
