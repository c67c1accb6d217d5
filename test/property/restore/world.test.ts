/**
 * P33–P38 in random worlds: the database is put back to an older state, once or twice, while processes run and messages
 * are late, lost or repeated. MUSTER_CHAOS_WORLDS sets how many, MUSTER_CHAOS_SEED repeats a run.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World as Stack } from '#test/setup/world.ts';
import { restoreKinds, stepKinds, World, type Shape, type Step, type StepKind } from '../jobs/world.ts';

const worlds = Number(process.env['MUSTER_CHAOS_WORLDS'] ?? 24);
const seed = process.env['MUSTER_CHAOS_SEED'];
const limitMs = process.env['MUSTER_CHAOS_WORLDS'] === undefined ? 45_000 : worlds * 20_000;

let stack: Stack;
beforeAll(async () => {
  stack = await openWorld({
    MUSTER_LEASE_TTL_MS: '600000', MUSTER_LEASE_DRIFT_MS: '60000', MUSTER_HEARTBEAT_MS: '60000', MUSTER_START_TIMEOUT_MS: '1000000',
    MUSTER_STUCK_GRACE_MS: '900000', MUSTER_LOST_GRACE_MS: '60000', MUSTER_TICKET_DEADLINE_MS: '1500000',
  });
});
afterAll(async () => { await stack.close(); });

const shapes: fc.Arbitrary<Shape> = fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 2, maxLength: 3 }).chain((nodes) => {
  const devices = nodes.reduce((sum, count) => sum + count, 0);
  return fc.record({
    nodes: fc.constant(nodes),
    jobs: fc.array(fc.record({
      members: fc.integer({ min: 1, max: Math.min(3, devices) }), exclusive: fc.nat(4).map((n) => n === 0), timeLimit: fc.constant(false),
    }), { minLength: 2, maxLength: 4 }),
  });
});

const often: Partial<Record<StepKind, number>> = {
  tick: 10, heartbeat: 26, sendBeat: 5, takeBeat: 5, takeAnswer: 5, ready: 12, exit: 6, fail: 2, obey: 8, sweep: 7, read: 4, act: 5, supervise: 14, place: 12,
  plan: 3, commit: 3, boot: 3, startAgent: 3, heal: 3, ingestUp: 3, backup: 5, restore: 3, thaw: 12,
};
const steps: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(...[...stepKinds, ...restoreKinds].map((kind) => ({ arbitrary: fc.constant(kind), weight: often[kind] ?? 1 }))),
  which: fc.nat(11), more: fc.nat(11),
});

it('laws 1–3 and 5–7 hold through restores of older states, and when the faults stop everything ends with nothing left over', async () => {
  const met = new Set<string>();
  let played = 0;
  await fc.assert(fc.asyncProperty(shapes, fc.array(steps, { minLength: 60, maxLength: 160, size: 'max' }), async (shape, run) => {
    const world = await World.open(stack, shape);
    try {
      for (const step of run) {
        const faults = await world.step(step);
        if (faults.length > 0) expect.fail(`${faults.join('\n')}\n${world.log.slice(-60).join('\n')}`);
      }
      const left = await world.settle();
      if (left.length > 0) expect.fail(`${left.join('\n')}\n${world.log.slice(-60).join('\n')}`);
    } finally {
      world.close();
    }
    for (const each of world.met) met.add(each);
    played++;
  }), { numRuns: worlds, interruptAfterTimeLimit: limitMs, ...(seed === undefined ? {} : { seed: Number(seed) }) });
  if (played >= 10) expect([...met]).toEqual(expect.arrayContaining(['restore', 'thaw', 'beat stale', 'succeed applied']));
  if (played >= 100) expect([...met]).toContain('taken over');
}, limitMs * 4);
