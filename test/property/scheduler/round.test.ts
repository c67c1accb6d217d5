import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainOf, wholeDeviceMilli, type FleetNode, type PendingJob, type Placement, type RoundState } from '#services/scheduler/model.ts';
import { round } from '#services/scheduler/round.ts';
import { FleetState } from '#services/scheduler/state.ts';
import { job, node, stateOf } from '#test/unit/scheduler/fleet.ts';

const anyNode = (id: string): fc.Arbitrary<FleetNode> => fc.record({
  schedulable: fc.boolean().map((down) => !down || id === 'n0'),
  models: fc.array(fc.constantFrom('A', 'B'), { maxLength: 4 }),
  taken: fc.array(fc.nat(3), { maxLength: 3 }),
  sick: fc.option(fc.nat(3)),
  cpu: fc.nat(4), memory: fc.nat(4),
  rack: fc.option(fc.constantFrom('r1', 'r2')), zone: fc.constantFrom('z1', 'z2'), disk: fc.constantFrom('fast', 'slow'),
}).map((x) => node({
  id, schedulable: x.schedulable, heard: true, labels: { disk: x.disk },
  topology: x.rack === null ? { zone: x.zone } : { zone: x.zone, rack: x.rack },
  cpuMilli: 4, cpuFreeMilli: x.cpu, memoryBytes: 4n, memoryFreeBytes: BigInt(x.memory),
  devices: x.models.map((model, index) => ({ index, model, healthy: index !== x.sick, freeMilli: x.taken.includes(index) ? 0 : wholeDeviceMilli })),
}));

const anyFleet = fc.integer({ min: 1, max: 4 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => anyNode(`n${n}`))));

const anyJob: fc.Arbitrary<PendingJob> = fc.record({
  members: fc.integer({ min: 1, max: 4 }), devicesPerMember: fc.nat(2), deviceModels: fc.uniqueArray(fc.constantFrom('A', 'B')),
  cpuMilli: fc.nat(2), memory: fc.nat(2), disk: fc.option(fc.constantFrom('fast', 'slow'), { freq: 3 }),
  topology: fc.option(fc.record({ level: fc.constantFrom('zone' as const, 'rack' as const, 'node' as const), mode: fc.constantFrom('required' as const, 'preferred' as const) })),
  avoidNodes: fc.uniqueArray(fc.constantFrom('n0', 'n1', 'n2'), { maxLength: 2 }),
  priority: fc.constantFrom(100, 500), submittedAtUs: fc.nat(9),
  pin: fc.option(fc.array(fc.constantFrom('n0', 'n1', 'n2'), { minLength: 1, maxLength: 4 }), { freq: 5 }),
}).map((x) => job(
  {
    members: x.members, devicesPerMember: x.devicesPerMember, deviceModels: x.deviceModels, cpuMilli: x.cpuMilli, memoryBytes: BigInt(x.memory),
    nodeSelector: x.disk === null ? {} : { disk: x.disk }, topology: x.topology,
  },
  {
    avoidNodes: x.avoidNodes, priority: x.priority, submittedAtUs: x.submittedAtUs,
    pins: x.pin && { nodes: [...new Set(x.pin)], ranks: Object.fromEntries(x.pin.slice(0, x.members).map((id, rank) => [rank, id])) },
  },
));

const anyState = fc.record({ fleet: anyFleet, jobs: fc.array(anyJob, { maxLength: 6 }) }).map(({ fleet, jobs }) => stateOf(fleet, jobs));
const runs = { numRuns: 400 };
const plan = (state: RoundState) => round(state, { membersMax: 1_000 });

describe('a round', () => {
  it('law 1: takes no device twice, and no more cpu and memory than there is', () => {
    fc.assert(fc.property(anyState, (state) => {
      const devices = new Set<string>();
      const cpu = new Map<string, number>();
      const memory = new Map<string, bigint>();
      for (const { job: placed, members } of plan(state).placements) {
        for (const member of members) {
          const at = state.nodes.get(member.nodeId)!;
          for (const index of member.devices) {
            const key = `${member.nodeId}/${index}`;
            expect(devices.has(key)).toBe(false);
            devices.add(key);
            expect(at.devices[index]).toMatchObject({ freeMilli: wholeDeviceMilli, healthy: true });
          }
          cpu.set(at.id, (cpu.get(at.id) ?? 0) + placed.shape.cpuMilli);
          memory.set(at.id, (memory.get(at.id) ?? 0n) + placed.shape.memoryBytes);
        }
      }
      for (const [id, used] of cpu) expect(used).toBeLessThanOrEqual(state.nodes.get(id)!.cpuFreeMilli);
      for (const [id, used] of memory) expect(used <= state.nodes.get(id)!.memoryFreeBytes).toBe(true);
    }), runs);
  });

  it('law 2: places a gang whole, and every member of it as its spec says', () => {
    fc.assert(fc.property(anyState, (state) => { for (const placement of plan(state).placements) expectKept(state, placement); }), runs);
  });

  it('law 12: equal states give equal plans, whatever order their parts were put together in', () => {
    fc.assert(fc.property(anyState, (state) => {
      const turned: RoundState = { ...state, nodes: new Map([...state.nodes].reverse()), buckets: new Map([...state.buckets].reverse()) };
      const [one, other] = [plan(state), plan(turned)];
      expect(other.placements).toEqual(one.placements);
      expect(new Map([...other.reasons].sort())).toEqual(new Map([...one.reasons].sort()));
    }), runs);
  });

  it('says no only where every way to seat the gang fails', () => {
    fc.assert(fc.property(anyFleet, anyJob, (fleet, asked) => {
      const state = stateOf(fleet, [asked]);
      const { placements, reasons } = plan(state);
      expect(placements.length > 0).toBe(seatsSomehow(fleet, asked));
      expect(placements.length + reasons.size).toBe(1);
    }), { numRuns: 1_500 });
  });

  it('law 10: a reason that says "now" is of a job that these nodes would seat if they were empty', () => {
    fc.assert(fc.property(anyFleet, anyJob, (fleet, asked) => {
      const [reason] = plan(stateOf(fleet, [asked])).reasons.values();
      if (!reason) return;
      const emptied = fleet.filter((n) => n.schedulable).map((n) => ({
        ...n, cpuFreeMilli: n.cpuMilli, memoryFreeBytes: n.memoryBytes, devices: n.devices.map((d) => ({ ...d, freeMilli: wholeDeviceMilli })),
      }));
      if (reason.code.endsWith('_now')) expect(seatsSomehow(emptied, asked)).toBe(true);
      if (/^(selector|no_such|no_node|no_domain)/.test(reason.code)) expect(seatsSomehow(emptied, asked)).toBe(false);
    }), { numRuns: 1_500 });
  });

  it('leaves a model that a second round finds nothing more to place in', () => {
    fc.assert(fc.property(anyState, (given) => {
      const state = new FleetState(1_000);
      for (const n of given.nodes.values()) state.setNode(n);
      for (const bucket of given.buckets.values()) for (const waiting of bucket.jobs) state.setPending(waiting, 0);
      for (const placement of plan(state).placements) state.applyPlacement(placement);
      expect(plan(state).placements).toEqual([]);
    }), runs);
  });
});

function expectKept(state: RoundState, { job: placed, members }: Placement): void {
  const { shape, pins } = placed;
  expect(members.map((member) => member.rank)).toEqual(Array.from({ length: shape.members }, (_, rank) => rank));
  const nodes = members.map((member) => state.nodes.get(member.nodeId)!);
  const models = new Set(members.flatMap((member, at) => member.devices.map((index) => nodes[at]!.devices[index]!.model)));
  expect(models.size).toBe(shape.devicesPerMember === 0 ? 0 : 1);
  if (shape.deviceModels.length > 0) for (const model of models) expect(shape.deviceModels).toContain(model);
  for (const [at, member] of members.entries()) {
    expect(member.devices).toHaveLength(shape.devicesPerMember);
    expect(nodes[at]!.schedulable).toBe(true);
    for (const [key, value] of Object.entries(shape.nodeSelector)) expect(nodes[at]!.labels[key]).toBe(value);
    if (pins) expect(pins.nodes).toContain(member.nodeId);
    if (pins?.ranks[member.rank] !== undefined) expect(member.nodeId).toBe(pins.ranks[member.rank]);
  }
  for (const [, sharing] of Map.groupBy(members, (member) => member.nodeId)) {
    expect(sharing.map((member) => member.localRank)).toEqual(sharing.map((_, index) => index));
  }
  if (shape.topology?.mode !== 'required') return;
  const domains = new Set(nodes.map((n) => domainOf(n, shape.topology!.level)));
  expect(domains.size).toBe(1);
  expect(domains.has(undefined)).toBe(false);
}

/** Every assignment of members to nodes in turn, member by member. Knows nothing of candidates or slots. */
function seatsSomehow(fleet: readonly FleetNode[], { shape, pins }: PendingJob): boolean {
  const models = shape.devicesPerMember === 0 ? [undefined] : shape.deviceModels.length > 0 ? shape.deviceModels : ['A', 'B'];
  return models.some((model) => {
    const free = new Map(fleet.map((n) => [n.id, {
      devices: n.devices.filter((d) => d.healthy && d.freeMilli === wholeDeviceMilli && d.model === model).length, cpu: n.cpuFreeMilli, memory: n.memoryFreeBytes,
    }]));
    const sits = (rank: number, domain: string | undefined): boolean => {
      if (rank === shape.members) return true;
      return fleet.some((n) => {
        if (!n.schedulable || Object.entries(shape.nodeSelector).some(([key, value]) => n.labels[key] !== value)) return false;
        if (pins && (!pins.nodes.includes(n.id) || (pins.ranks[rank] ?? n.id) !== n.id)) return false;
        const own = shape.topology?.mode === 'required' ? domainOf(n, shape.topology.level) ?? null : 'fleet';
        if (own === null || (domain !== undefined && own !== domain)) return false;
        const left = free.get(n.id)!;
        if (left.devices < shape.devicesPerMember || left.cpu < shape.cpuMilli || left.memory < shape.memoryBytes) return false;
        free.set(n.id, { devices: left.devices - shape.devicesPerMember, cpu: left.cpu - shape.cpuMilli, memory: left.memory - shape.memoryBytes });
        const seated = sits(rank + 1, own);
        free.set(n.id, left);
        return seated;
      });
    };
    return sits(0, undefined);
  });
}
