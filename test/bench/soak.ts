/** Ten thousand jobs through the whole control plane in one process: its memory must not grow with them. */
import { submitMany, untilSucceeded } from './jobs.ts';
import { machine, round } from './load.ts';
import type { Figure } from './main.ts';
import { rssMb, BenchStack } from './stack.ts';

const nodes = 32;
const devices = 8;
const jobs = 10_000;
/** jobs waiting or running at once, so that the queue is no part of the growth */
const portion = 500;
const reports: ReadonlySet<number> = new Set([1_000, 2_500, 5_000, 7_500, 10_000]);

export async function* soak(): AsyncGenerator<Figure> {
  const stack = await BenchStack.open();
  try {
    const all = await stack.start('all');
    const simulated = await stack.simulate({ nodes: { count: nodes, devices }, programs: { bench: { startMs: [1, 1], runMs: [20, 20] } } });
    const startedAt = performance.now();
    for (let done = portion; done <= jobs; done += portion) {
      await submitMany(stack, portion, { members: 1, devicesPerMember: 1 });
      await untilSucceeded(stack, done);
      if (!reports.has(done)) continue;
      const params = { nodes, devices, jobs_per_s: round(done * 1_000 / (performance.now() - startedAt)), ...machine() };
      yield { bench: 'soak', figure: `rss_mb_after_${done}_jobs`, value: rssMb(all.pid), unit: 'MB', params };
    }
    await simulated.close();
  } finally {
    await stack.close();
  }
}
