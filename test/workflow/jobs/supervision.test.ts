import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftovers, nothing } from './fleet.ts';
import { World } from './world.ts';

const historyEventsMax = 40;

describe.each([
  { cache: 'cached runs', worker: {} },
  { cache: 'replayed at each task', worker: { maxCachedWorkflows: 0 } },
])('supervision, $cache', ({ worker }) => {
  let world: World;
  beforeEach(async () => { world = await World.open({ worker }); });
  afterEach(() => world.close());

  it(`an undisturbed job succeeds within ${historyEventsMax} history events`, async () => {
    const job = await world.submitAndPlace();
    await world.supervised(job);
    await world.report(job, { state: 'accepted' });
    await world.reaches(job, 'STARTING');
    await world.report(job, { state: 'ready' });
    await world.reaches(job, 'RUNNING');
    await world.report(job, { state: 'exited', exitCode: 0 });
    await world.reaches(job, 'SUCCEEDED');
    await world.closed(job);
    const events = (await world.history(job)).events ?? [];
    console.log(JSON.stringify({ figure: 'history_events_undisturbed_job', value: events.length }));
    expect(events.length).toBeLessThanOrEqual(historyEventsMax);
    expect(await leftovers(world.db)).toEqual(nothing);
  });
});
