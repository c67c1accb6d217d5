import { expect, it } from 'vitest';
import { gather } from '#services/platform/gather.ts';

const limits = { lanesMax: 1, itemsMax: 3 };

it('what comes at the same time is done together, in its order, so many at most', async () => {
  const calls: number[][] = [];
  const double = gather<number, number>(limits, async (items) => { calls.push([...items]); return items.map((item) => item * 2); });
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
  expect(calls).toEqual([[1, 2, 3], [4, 5]]);
});

it('what comes while a call is under way begins after it was asked for', async () => {
  const calls: number[][] = [];
  const open = Promise.withResolvers<void>();
  const same = gather<number, number>(limits, async (items) => { calls.push([...items]); if (calls.length === 1) await open.promise; return items; });
  const first = same(1);
  await expect.poll(() => calls).toEqual([[1]]);
  const later = [same(2), same(3)];
  open.resolve();
  expect(await Promise.all([first, ...later])).toEqual([1, 2, 3]);
  expect(calls).toEqual([[1], [2, 3]]);
});

it('a failure is told to all of its items and to no other', async () => {
  const fails = gather<number, number>(limits, async (items) => { if (items.includes(1)) throw new Error('away'); return items; });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(fails));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
});
