import fc from 'fast-check';
import { expect, it } from 'vitest';
import { admit, type LockedJob, type LockedRows } from '#services/scheduler/admit.ts';
import type { Placement, Share } from '#services/scheduler/model.ts';
import { job } from '#test/unit/scheduler/fleet.ts';

const nodeIds = ['a', 'b'] as const;
const devicesPerNode = 3;

const anyMember = fc.record({ node: fc.constantFrom(...nodeIds), device: fc.nat(devicesPerNode - 1) });
const anyTicket = fc.option(fc.uniqueArray(fc.record({ node: fc.constantFrom(...nodeIds), device: fc.nat(devicesPerNode - 1) }), { maxLength: 2, selector: (x) => `${x.node}/${x.device}` }));
const anyItem = fc.record({ members: fc.uniqueArray(anyMember, { minLength: 1, maxLength: 3, selector: (x) => `${x.node}/${x.device}` }), cpuMilli: fc.nat(3), ticket: anyTicket, stale: fc.boolean() });

const anyBatch = fc.record({
  items: fc.array(anyItem, { minLength: 1, maxLength: 6 }),
  used: fc.array(fc.boolean(), { minLength: 2 * devicesPerNode, maxLength: 2 * devicesPerNode }),
  cpuFree: fc.tuple(fc.nat(6), fc.nat(6)),
  schedulable: fc.tuple(fc.boolean(), fc.constant(true)),
});

it('law 1, law 2: what is admitted fits, whole gangs only, and the changes are exactly theirs', () => {
  fc.assert(fc.property(anyBatch, ({ items, used, cpuFree, schedulable }) => {
    const free = (node: number, index: number): number => (used[node * devicesPerNode + index] ? 0 : 1_000);
    const tickets = new Map<string, readonly Share[]>();
    const held = new Set<string>();
    const jobs = new Map<string, LockedJob>();
    const placements = items.map((item): Placement => {
      const waiting = job({ members: item.members.length, devicesPerMember: 1, cpuMilli: item.cpuMilli });
      // A ticket holds what is in use, and no two tickets hold one device: anything else is no state of the tables.
      const shares = (item.ticket ?? []).filter((x) => used[nodeIds.indexOf(x.node) * devicesPerNode + x.device] && !held.has(`${x.node}/${x.device}`))
        .map((x) => { held.add(`${x.node}/${x.device}`); return { nodeId: x.node, cpuMilli: 1, memoryBytes: 0n, devices: [{ index: x.device, milli: 1_000 }] }; });
      if (item.ticket) tickets.set(waiting.id, shares);
      jobs.set(waiting.id, {
        state: 'QUEUED', version: item.stale ? 2n : 1n, due: true, checkpointId: undefined, olderEpochHeard: false,
        ticket: item.ticket ? { id: `t-${waiting.id}`, shares } : undefined,
      });
      return { job: waiting, members: item.members.map((x, rank) => ({ rank, nodeId: x.node, localRank: 0, devices: [x.device] })) };
    });
    const rows: LockedRows = {
      jobs,
      nodes: new Map(nodeIds.map((id, n) => [id, {
        schedulable: schedulable[n]!, cpuFreeMilli: cpuFree[n]!, memoryFreeBytes: 0n,
        devices: new Map([0, 1, 2].map((index) => [index, { healthy: true, freeMilli: free(n, index) }])),
      }])),
    };
    const { kept, verdicts, changes, endedTickets } = admit(placements, rows);

    expect([...verdicts.keys()]).toEqual(placements.map((item) => item.job.id));
    expect(kept.map((item) => item.job.id)).toEqual(placements.filter((item) => verdicts.get(item.job.id) === 'placed').map((item) => item.job.id));
    expect(endedTickets).toEqual(kept.filter((item) => tickets.has(item.job.id)).map((item) => `t-${item.job.id}`));
    for (const [n, id] of nodeIds.entries()) {
      const members = kept.flatMap((item) => item.members.filter((member) => member.nodeId === id).map((member) => ({ member, cpuMilli: item.job.shape.cpuMilli })));
      const given = kept.flatMap((item) => tickets.get(item.job.id) ?? []).filter((share) => share.nodeId === id);
      const cpu = members.reduce((sum, x) => sum + x.cpuMilli, 0) - given.length;
      expect(changes.get(id)?.cpuMilli ?? 0).toBe(cpu);
      if (members.length === 0) continue;
      expect(schedulable[n]).toBe(true);
      expect(cpu).toBeLessThanOrEqual(cpuFree[n]!);
      for (let index = 0; index < devicesPerNode; index++) {
        const taken = members.filter((x) => x.member.devices.includes(index)).length * 1_000;
        const back = given.filter((share) => share.devices[0]!.index === index).length * 1_000;
        expect(taken - back).toBeLessThanOrEqual(free(n, index));
        expect(changes.get(id)?.deviceMilli.get(index) ?? 0).toBe(taken - back);
      }
    }
  }), { numRuns: 1_000 });
});
