/**
 * Records real histories of the job workflow, a file a run: `job/<scenario>.json`, `job/<scenario>.2.json` … for later
 * epochs. Record when a scenario is added; a history that the code once made stays as long as such runs may be open.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobWorkflowId } from '#services/jobs/model.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { Disturbance, type Plan } from '../fault/laws.ts';
import { scenarios } from '../workflow/jobs/scenarios.ts';
import { World } from '../workflow/jobs/world.ts';
import { formatHistory, type History } from './history-file.ts';

const folder = path.join(repositoryRoot, 'test/replay/job');
const disturbance = new Disturbance();
let world: World;
beforeAll(async () => { world = await World.open({ worker: { interceptors: { activity: [disturbance.interceptor] } } }); });
afterAll(() => world.close());

async function record(name: string, { spec, drive, ends }: (typeof scenarios)[number], plan: Plan): Promise<void> {
  const jobId = await world.submit(spec);
  disturbance.plan(jobWorkflowId(jobId), plan);
  await drive(world, jobId);
  await world.closed(jobId);
  expect((await world.row(jobId)).state).toBe(ends);
  const attempts = await world.db.selectFrom('attempt').select('epoch').where('job_id', '=', jobId).execute();
  const histories = await world.histories(jobId, attempts.length);
  for (const [index, history] of histories.entries()) await write(index === 0 ? name : `${name}.${index + 1}`, history);
}

async function write(name: string, history: History): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.json`), formatHistory(history));
}

it.each(scenarios)('$name', (scenario) => record(scenario.name, scenario, {}));

it('undisturbed, the first reading failing until its fallback', () =>
  record('database-away', scenarios[0]!, { fail: { type: 'readSupervision', nth: 1, when: 'before', times: 4 } }));
