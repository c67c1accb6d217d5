/** The fault laws for the job workflow, over every scenario of the replay corpus. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isActive, jobWorkflowId } from '#services/jobs/model.ts';
import { leftovers, nothing } from '../../workflow/jobs/fleet.ts';
import { scenarios, type Scenario } from '../../workflow/jobs/scenarios.ts';
import { World } from '../../workflow/jobs/world.ts';
import { Disturbance, type Plan, type Trace } from '../laws.ts';

/** No scenario has more activities; a run that never stops failing would be found here. */
const stepsMax = 40;
const timeoutMs = 240_000;

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('fault laws: %s', (_name, scenario) => {
  let world: World;
  const disturbance = new Disturbance();
  beforeAll(async () => { world = await World.open({ worker: { interceptors: { activity: [disturbance.interceptor] } } }); });
  afterAll(() => world.close());

  async function live({ spec, drive }: Scenario, plan: Plan): Promise<{ readonly jobId: string; readonly trace: Trace }> {
    const jobId = await world.submit(spec);
    disturbance.plan(jobWorkflowId(jobId), plan);
    await drive(world, jobId);
    await world.closed(jobId);
    return { jobId, trace: disturbance.trace(jobWorkflowId(jobId)) };
  }

  /** What the job's life left in the outbox: its moves, in order. */
  async function movesOf(jobId: string): Promise<string[]> {
    const events = await world.db.selectFrom('outbox').select(['kind', 'payload']).where('key', '=', `job/${jobId}`).where('kind', '!=', 'job.attention').orderBy('id').execute();
    return events.map(({ kind, payload }) => `${kind} ${(payload as { state: string }).state}`);
  }

  async function expectEnded(jobId: string): Promise<void> {
    const { state } = await world.row(jobId);
    expect(isActive(state)).toBe(false);
    expect(state).toBe(scenario.ends);
    expect(await leftovers(world.db)).toEqual(nothing);
  }

  it('1: every activity may run twice; the job lives as if each had run once', { timeout: timeoutMs }, async () => {
    const once = await live(scenario, {});
    const twice = await live(scenario, { twice: true });
    await expectEnded(twice.jobId);
    expect(await movesOf(twice.jobId)).toEqual(await movesOf(once.jobId));
    const budgets = async (jobId: string) => {
      const { user_failures, infrastructure_failures, preemptions } = await world.row(jobId);
      return { user_failures, infrastructure_failures, preemptions };
    };
    expect(await budgets(twice.jobId)).toEqual(await budgets(once.jobId));
  });

  it.each(['before', 'after'] as const)('2: a failure %s each step in turn still ends as declared with nothing held', { timeout: timeoutMs }, async (when) => {
    const failed = await failEachStep((step) => ({ fail: { step, when, times: 4 } }));
    expect(failed).toContain('readSupervision');
    expect(failed.filter((type) => type !== 'readSupervision').length).toBeGreaterThan(0);
  });

  it('3: unwinding may run twice, also with its answer lost at each step', { timeout: timeoutMs }, async () => {
    const failed = await failEachStep((step) => ({ twice: true, fail: { step, when: 'after', times: 1 } }));
    expect(failed.filter((type) => type !== 'readSupervision').length).toBeGreaterThan(0);
  });

  /** @returns the activity types that failed, the first of each life */
  async function failEachStep(planOf: (step: number) => Plan): Promise<string[]> {
    const failed: string[] = [];
    for (let step = 1; step <= stepsMax; step++) {
      const { jobId, trace } = await live(scenario, planOf(step));
      await expectEnded(jobId);
      const [first] = trace.failed;
      if (first === undefined) return failed; // it ended in fewer steps: each has had its turn
      expect(first).toBe(trace.steps[step - 1]);
      failed.push(first);
    }
    throw new Error(`more than ${stepsMax} steps: ${failed.join(', ')}`);
  }
});
