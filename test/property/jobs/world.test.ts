/**
 * The protocol's laws under loss, repetition, delay, reordering and crashes: random worlds against the real operations.
 * MUSTER_CHAOS_WORLDS sets how many (`npm run chaos` takes hundreds), MUSTER_CHAOS_SEED repeats a run.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World as Stack } from '#test/setup/world.ts';
import { stepKinds, World, type Shape, type Step, type StepKind } from './world.ts';

const worlds = Number(process.env['MUSTER_CHAOS_WORLDS'] ?? 32);
const seed = process.env['MUSTER_CHAOS_SEED'];
/** The gate stops there, whatever the machine does beside it; longer runs say so by their number of worlds. */
const gateMs = 45_000;
const chaosMsPerWorld = 20_000;
const isChaos = process.env['MUSTER_CHAOS_WORLDS'] !== undefined;
const limitMs = isChaos ? worlds * chaosMsPerWorld : gateMs;

let stack: Stack;
beforeAll(async () => {
  // Far longer than any run: time passes by moving the stored instants only.
  stack = await openWorld({
    MUSTER_LEASE_TTL_MS: '600000', MUSTER_LEASE_DRIFT_MS: '60000', MUSTER_HEARTBEAT_MS: '60000', MUSTER_START_TIMEOUT_MS: '1000000',
    MUSTER_STUCK_GRACE_MS: '900000', MUSTER_LOST_GRACE_MS: '60000', MUSTER_TICKET_DEADLINE_MS: '1500000',
  });
});
afterAll(async () => { await stack.close(); });

const shapes: fc.Arbitrary<Shape> = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 2, maxLength: 4 }).chain((nodes) => {
  const devices = nodes.reduce((sum, count) => sum + count, 0);
  return fc.record({
    nodes: fc.constant(nodes),
    jobs: fc.array(fc.record({
      members: fc.integer({ min: 1, max: Math.min(3, devices) }),
      exclusive: fc.integer({ max: 4, min: 0 }).map((n) => n === 0),
      timeLimit: fc.integer({ max: 5, min: 0 }).map((n) => n === 0),
    }), { minLength: 3, maxLength: 5 }),
  });
});

/** How often each kind of step is tried; faults are rare enough for a gang to run now and then. */
const often: Partial<Record<StepKind, number>> = {
  tick: 10, heartbeat: 22, sendBeat: 6, takeBeat: 6, takeAnswer: 6, ready: 12, exit: 4, fail: 3, obey: 8, sweep: 7, read: 4, act: 5, supervise: 14, place: 10, plan: 3, commit: 3, boot: 3, startAgent: 3, heal: 3, ingestUp: 3, sweepTickets: 2,
};
const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(...stepKinds.map((kind) => ({ arbitrary: fc.constant(kind), weight: often[kind] ?? 1 }))),
  which: fc.nat(11), more: fc.nat(11),
});

it(`laws 1–7 hold after each step of ${worlds} random worlds, and when the faults stop everything ends with nothing left over`, async () => {
  const met = new Set<string>();
  let played = 0;
  await fc.assert(fc.asyncProperty(shapes, fc.array(steps, { minLength: 60, maxLength: 160, size: 'max' }), async (shape, run) => {
    const world = await World.open(stack, shape);
    for (const step of run) {
      const faults = await world.step(step);
      if (faults.length > 0) expect.fail(`${faults.join('\n')}\n${world.log.slice(-60).join('\n')}`);
    }
    const left = await world.settle();
    if (left.length > 0) expect.fail(`${left.join('\n')}\n${world.log.slice(-60).join('\n')}`);
    for (const each of world.met) met.add(each);
    played++;
  }), {
    numRuns: worlds, interruptAfterTimeLimit: limitMs, ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
  // Worlds that met none of these would have tested little; a slow machine plays too few of them to be sure of the rare ones.
  const common = ['end applied', 'succeed applied'];
  const rare = ['beat stale', 'vacate memberFailed', 'fence applied'];
  if (played >= 10) expect([...met]).toEqual(expect.arrayContaining(common));
  if (played >= 100) expect([...met]).toEqual(expect.arrayContaining(rare));
}, limitMs * 4);
