import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '#services/scheduler/heap.ts';
import { bucketKey, type PendingJob } from '#services/scheduler/model.ts';
import { comesFirst } from '#services/scheduler/order.ts';
import { FleetState } from '#services/scheduler/state.ts';
import { job } from '#test/unit/scheduler/fleet.ts';

it('a heap gives its items back in order', () => {
  fc.assert(fc.property(fc.array(fc.integer()), (numbers) => {
    const heap = new Heap<number>((a, b) => a < b, numbers);
    expect(Array.from(numbers, () => heap.pop())).toEqual([...numbers].sort((a, b) => a - b));
    expect(heap.pop()).toBeUndefined();
  }));
});

const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), id: fc.nat(2), members: fc.integer({ min: 1, max: 2 }), submittedAtUs: fc.nat(3), delayMs: fc.nat(6) }),
  fc.record({ kind: fc.constant('remove' as const), id: fc.nat(2) }),
  fc.record({ kind: fc.constant('time' as const), byMs: fc.nat(8) }),
);

it('buckets hold exactly the jobs whose back-off is over, in order, whatever is set, removed and set again', () => {
  fc.assert(fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
    const state = new FleetState(1);
    const waiting = new Map<string, PendingJob>();
    let nowMs = 0;
    for (const step of steps) {
      if (step.kind === 'set') {
        const set = job({ members: step.members }, { id: `job-${step.id}`, submittedAtUs: step.submittedAtUs, notBeforeMs: nowMs + step.delayMs });
        waiting.set(set.id, set);
        state.setPending(set, nowMs);
      } else if (step.kind === 'remove') {
        waiting.delete(`job-${step.id}`);
        state.removePending(`job-${step.id}`);
      } else {
        nowMs += step.byMs;
      }
      state.wakeDue(nowMs);
      const due = [...waiting.values()].filter((x) => x.notBeforeMs <= nowMs).sort((a, b) => (comesFirst(a, b) ? -1 : 1));
      const expected = Map.groupBy(due, bucketKey);
      expect(new Map(Array.from(state.buckets, ([key, bucket]) => [key, bucket.jobs.map((x) => x.id)])))
        .toEqual(new Map(Array.from(expected, ([key, jobs]) => [key, jobs.map((x) => x.id)])));
      const next = [...waiting.values()].filter((x) => x.notBeforeMs > nowMs).map((x) => x.notBeforeMs);
      expect(state.nextDueMs()).toBe(next.length > 0 ? Math.min(...next) : undefined);
      expect(state.waiting).toBe(waiting.size);
    }
  }), { numRuns: 300 });
});
