/**
 * The three fault laws (omicron's, stack.md 4.3) for any workflow, as one activity interceptor of the worker: every
 * activity may run twice; a failure at each step in turn still ends in a declared state; unwinding may run twice.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';

export interface Plan {
  /** every activity runs twice, as after a worker that died between its commit and its answer */
  readonly twice?: boolean;
  readonly fail?: {
    /** the nth activity of this type in the workflow's life, counted from 1 over its runs, retries not counted */
    readonly type: string;
    readonly nth: number;
    /** before: nothing happened; after: it is committed, and the answer is lost */
    readonly when: 'before' | 'after';
    /** attempts in a row; more than a local activity has, so that its fallback is met too */
    readonly times: number;
  };
}

/** What was done to one workflow. */
export interface Trace {
  readonly steps: readonly string[];
  /** activity type of each injected failure */
  readonly failed: readonly string[];
}

export class Disturbance {
  readonly #plans = new Map<string, Plan>();
  readonly #traces = new Map<string, { steps: string[]; failed: string[]; known: Map<string, number> }>();

  /** From now on, for the workflow of that id. */
  plan(workflowId: string, plan: Plan): void {
    this.#plans.set(workflowId, plan);
    this.#traces.set(workflowId, { steps: [], failed: [], known: new Map() });
  }

  trace(workflowId: string): Trace {
    return this.#traces.get(workflowId) ?? { steps: [], failed: [] };
  }

  readonly interceptor: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const workflowId = info.workflowExecution?.workflowId ?? '';
        const plan = this.#plans.get(workflowId);
        const trace = this.#traces.get(workflowId);
        if (!plan || !trace) return next(input);
        const nth = countOf(trace, `${info.workflowExecution?.runId}/${info.activityId}`, info.activityType);
        const fails = plan.fail?.type === info.activityType && plan.fail.nth === nth && trace.failed.length < plan.fail.times;
        if (fails) trace.failed.push(info.activityType);
        if (fails && plan.fail?.when === 'before') throw injected(info.activityType);
        if (plan.twice) await next(input);
        const result = await next(input);
        if (fails) throw injected(info.activityType);
        return result;
      },
    },
  });
}

/** Which of its type this activity is; a retry keeps the number of its first attempt. */
function countOf(trace: { steps: string[]; known: Map<string, number> }, key: string, type: string): number {
  const known = trace.known.get(key);
  if (known !== undefined) return known;
  trace.steps.push(type);
  const nth = trace.steps.filter((step) => step === type).length;
  trace.known.set(key, nth);
  return nth;
}

/** The activities of a life, each as its type and which of its type it was: where failures are injected in turn. */
export function turnsOf(trace: Trace): { readonly type: string; readonly nth: number }[] {
  return trace.steps.map((type, index) => ({ type, nth: trace.steps.slice(0, index + 1).filter((step) => step === type).length }));
}

const injected = (type: string): ApplicationFailure => ApplicationFailure.create({ message: `injected failure of ${type}`, type: 'Injected' });
