/** The fault laws for the job workflow, over every scenario of the replay corpus. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isActive, jobWorkflowId } from '#services/jobs/model.ts';
import { leftovers, nothing } from '../../workflow/jobs/fleet.ts';
import { scenarios, type Scenario } from '../../workflow/jobs/scenarios.ts';
import { World } from '../../workflow/jobs/world.ts';
import { Disturbance, turnsOf, type Plan, type Trace } from '../laws.ts';

const timeoutMs = 240_000;
/** Lives at once: their gangs of two devices fit the fleet together. */
const livesMax = 6;

describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('fault laws: %s', (_name, scenario) => {
  let world: World;
  let undisturbed: { readonly jobId: string; readonly trace: Trace };
  const disturbance = new Disturbance();
  beforeAll(async () => {
    world = await World.open({ worker: { interceptors: { activity: [disturbance.interceptor] } } });
    undisturbed = await live(scenario, {});
  });
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
  }

  it('1: every activity may run twice; the job lives as if each had run once', { timeout: timeoutMs }, async () => {
    const twice = await live(scenario, { twice: true });
    await expectEnded(twice.jobId);
    expect(await leftovers(world.db)).toEqual(nothing);
    expect(await movesOf(twice.jobId)).toEqual(await movesOf(undisturbed.jobId));
    const budgets = async (jobId: string) => {
      const { user_failures, infrastructure_failures, preemptions } = await world.row(jobId);
      return { user_failures, infrastructure_failures, preemptions };
    };
    expect(await budgets(twice.jobId)).toEqual(await budgets(undisturbed.jobId));
  });

  it('2: a failure at each step in turn still ends as declared with nothing held', { timeout: timeoutMs }, async () => {
    await failInTurn(turnsOf(undisturbed.trace), (turn) => ({ fail: { ...turn, when: 'before', times: 4 } }));
  });

  it('2: so does a failure that hides what was committed', { timeout: timeoutMs }, async () => {
    await failInTurn(transitions(), (turn) => ({ fail: { ...turn, when: 'after', times: 2 } }));
  });

  it('3: unwinding may run twice, each answer lost in turn', { timeout: timeoutMs }, async () => {
    await failInTurn(transitions(), (turn) => ({ twice: true, fail: { ...turn, when: 'after', times: 1 } }));
  });

  const transitions = () => turnsOf(undisturbed.trace).filter(({ type }) => type !== 'readSupervision');

  async function failInTurn(turns: ReturnType<typeof turnsOf>, planOf: (turn: (typeof turns)[number]) => Plan): Promise<void> {
    expect(turns.length).toBeGreaterThan(0);
    const waiting = [...turns];
    const lives = Array.from({ length: scenario.alone ? 1 : livesMax }, async () => {
      for (let turn = waiting.shift(); turn; turn = waiting.shift()) {
        const { jobId, trace } = await live(scenario, planOf(turn));
        await expectEnded(jobId);
        // Wakes coalesce, so a life may have fewer readings than the undisturbed one; its transitions it all has.
        expect(trace.failed[0] ?? 'readSupervision').toBe(turn.type);
      }
    });
    await Promise.all(lives);
    expect(await leftovers(world.db)).toEqual(nothing);
  }
});
