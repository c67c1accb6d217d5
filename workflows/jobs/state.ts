/** The state of one run: what it last read, whether something woke it, and how its next step went. */
import { condition, isCancellation, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { isActive, jobSearchAttributes, type Decided, type JobState, type JobWorkflowInput, type Outcome, type SupervisionPhase, type SupervisionView } from '#services/jobs/model.ts';
import { Alarm, readingSlackMs } from './alarm.ts';
import { callOptions, calls, local } from './calls.ts';
import { decide, type Step } from './decide.ts';
import { detailsOf, phaseOf, unreadableDetails } from './details.ts';

/** How the epoch stood when its run returned; null: the job's row is gone. */
export interface JobEnd {
  readonly state: JobState | null;
  readonly epoch: string;
}

/** Nothing waits longer without a look at the row, whatever became of its events. */
const rereadMs = 3_600_000;
/** A thaw sends an event; this is for the case that it is lost. */
const frozenRereadMs = 10_000;
const waitMinMs = 20;
const backoffMinMs = 200;
const backoffMaxMs = 30_000;
/** Far below the server's 51,200: an uncached run is replayed whole at each wake (stack.md 3.4). */
const historyEventsMax = 1_000;

type Action = Exclude<Step, { kind: 'wait' | 'done' }>;

export class Supervision {
  readonly #jobId: string;
  readonly #alarm = new Alarm();
  #epoch: string;
  #view: SupervisionView | null = null;
  #step: Step = { kind: 'wait' };
  #woken = false;
  /** As the list shows it; a run that took over has its predecessor's attributes, whatever they say. */
  #phase: SupervisionPhase | undefined = isSuccessor() ? undefined : 'PLACED';
  #lastError: string | null = null;
  /** The last decision that changed nothing, how often in a row, and when it may be tried again on the same version. */
  #fruitless = { decision: '', times: 0, retryAtMs: 0 };
  /** Readings in a row that a deadline asked for and that found nothing new. */
  #quiet = { reading: '', times: 0 };

  constructor(input: JobWorkflowInput) {
    this.#jobId = input.jobId;
    this.#epoch = input.epoch;
  }

  /** Something happened to the job. What it was stands in the row. */
  wake(): void {
    this.#woken = true;
  }

  /** Nothing is left to do, and no signal came since the row was read (P27). */
  get over(): boolean {
    return this.#step.kind === 'done' && !this.#woken;
  }

  /** The input of the run that takes over: another epoch was placed meanwhile, or this history has grown long. */
  get successor(): JobWorkflowInput | undefined {
    if (this.#view === null || !isActive(this.#view.state)) return undefined;
    const grown = workflowInfo().historyLength >= historyEventsMax || workflowInfo().continueAsNewSuggested;
    if (!grown && BigInt(this.#view.epoch) <= BigInt(this.#epoch)) return undefined;
    return { jobId: this.#jobId, epoch: this.#view.epoch };
  }

  end(): JobEnd {
    return { state: this.#view?.state ?? null, epoch: this.#epoch };
  }

  /** Reads the row and makes one decision of it. */
  async step(): Promise<void> {
    this.#woken = false;
    const first = this.#view === null;
    const view = await this.#read();
    this.#view = view;
    if (view === null) {
      this.#step = { kind: 'done' };
      return;
    }
    if (first) this.#takeEpoch(view);
    this.#step = decide(view);
    this.#tell(view);
    if (this.#step.kind === 'wait' || this.#step.kind === 'done' || this.successor !== undefined) return;
    if (!this.#heldBack(view)) await this.#act(view, this.#step);
  }

  /** Returns at the next signal or deadline; at once after a step that may have changed the row. */
  async untilWoken(): Promise<void> {
    if (this.#woken || this.#view === null) return;
    const waitMs = this.#waitMs(this.#view);
    this.#alarm.set(waitMs, waitMs >= rereadMs ? rereadMs / 2 : readingSlackMs, 'next look at the row');
    await condition(() => this.#woken || this.#alarm.rung);
  }

  /** A run that was started by an old event supervises the epoch that it finds. */
  #takeEpoch(view: SupervisionView): void {
    if (view.epoch === this.#epoch && !isSuccessor()) return;
    this.#epoch = view.epoch;
    upsertSearchAttributes([{ key: jobSearchAttributes.epoch, value: Number(view.epoch) }]); // below 2⁵³: incarnations end at 2,000,000
  }

  async #read(): Promise<SupervisionView | null> {
    const input = { jobId: this.#jobId };
    try {
      return await local.readSupervision(input);
    } catch (error) {
      this.#note(error);
    }
    for (;;) {
      setCurrentDetails(unreadableDetails(this.#jobId, this.#lastError ?? 'none'));
      try {
        const view = await calls.readSupervision.executeWithOptions({ ...callOptions, summary: 'read the row: the database was away' }, [input]);
        this.#lastError = null;
        return view;
      } catch (error) {
        this.#note(error);
      }
    }
  }

  async #act(view: SupervisionView, step: Action): Promise<void> {
    const decided: Decided = { jobId: this.#jobId, epoch: view.epoch, version: view.version, incarnation: view.incarnation };
    try {
      const outcome = await call(step, decided);
      this.#lastError = null;
      if (outcome.kind !== 'applied') this.#noteFruitless(decisionKey(view, step));
    } catch (error) {
      this.#note(error);
    }
    this.#woken = true; // whatever came of it stands in the row
  }

  #noteFruitless(decision: string): void {
    const times = this.#fruitless.decision === decision ? this.#fruitless.times + 1 : 1;
    this.#fruitless = { decision, times, retryAtMs: Date.now() + backoffMs(times) };
  }

  /** A decision that just changed nothing on this very version waits before it is tried again. */
  #heldBack(view: SupervisionView): boolean {
    return this.#fruitless.decision === decisionKey(view, this.#step) && Date.now() < this.#fruitless.retryAtMs;
  }

  #waitMs(view: SupervisionView): number {
    if (this.#step.kind !== 'wait') return Math.max(waitMinMs, this.#fruitless.retryAtMs - Date.now());
    const wantedMs = Math.min(view.nextDeadlineMs ?? rereadMs, view.frozen ? frozenRereadMs : rereadMs);
    const reading = `${view.state} ${view.version} ${JSON.stringify(view.counters)}`;
    this.#quiet = this.#alarm.rung && this.#quiet.reading === reading ? { reading, times: this.#quiet.times + 1 } : { reading, times: 0 };
    return Math.max(wantedMs, this.#quiet.times === 0 ? waitMinMs : backoffMs(this.#quiet.times));
  }

  #tell(view: SupervisionView): void {
    if (this.#step.kind === 'wait') this.#lastError = null;
    setCurrentDetails(detailsOf(view, this.#step, this.#lastError));
    const phase = phaseOf(view);
    if (phase === undefined || phase === this.#phase) return;
    this.#phase = phase;
    upsertSearchAttributes([{ key: jobSearchAttributes.phase, value: phase }]);
  }

  /** @throws the error itself, where it is the run's own cancellation */
  #note(error: unknown): void {
    if (isCancellation(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    this.#lastError = cause instanceof Error ? cause.message : String(cause);
  }
}

function call(step: Action, decided: Decided): Promise<Outcome> {
  switch (step.kind) {
    case 'vacate':
      return calls.vacateJob.executeWithOptions({ ...callOptions, summary: `stop every member: ${step.reason}` }, [{ ...decided, event: step.event, reason: step.reason }]);
    case 'succeed':
      return calls.succeedJob.executeWithOptions({ ...callOptions, summary: 'all members exited 0' }, [decided]);
    case 'fence':
      return calls.fenceJob.executeWithOptions({ ...callOptions, summary: 'a node stayed silent past t_fence' }, [decided]);
    case 'end':
      return calls.endJob.executeWithOptions({ ...callOptions, summary: 'end the epoch' }, [decided]);
  }
}

const isSuccessor = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

const decisionKey = (view: SupervisionView, step: Step): string => `${step.kind} ${view.epoch} ${view.version}`;

const backoffMs = (times: number): number => Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.max(0, times - 1));
