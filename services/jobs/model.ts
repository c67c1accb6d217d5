/**
 * Jobs: states, the one table of moves (design.md §4), reasons, retry rules. Pure; imported by workflows too, so it
 * imports nothing but other model files.
 */

export const jobStates = [
  'SUBMITTED', 'QUEUED', 'RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING',
  'SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED',
] as const;
export type JobState = (typeof jobStates)[number];

/** What a move does to the job's allocations. `settled`: gone members' are freed or go to a ticket, unreachable ones' are fenced. */
export type DeviceEffect = 'none' | 'held' | 'released' | 'settled';

export interface Move {
  readonly event: string;
  readonly from: readonly JobState[];
  /** More than one where the counters of the attempt decide (P15). */
  readonly to: readonly JobState[];
  readonly devices: DeviceEffect;
}

const beforeRunning = ['RESERVED', 'STARTING'] as const;
const placedAndHeard = [...beforeRunning, 'RUNNING'] as const;
const placed = [...placedAndHeard, 'LOST'] as const;

/** The only ways between states. An undeclared move is refused with 409 and recorded. */
export const moves = [
  { event: 'holdAccepted', from: ['SUBMITTED'], to: ['QUEUED'], devices: 'none' },
  { event: 'holdRefused', from: ['SUBMITTED'], to: ['REJECTED'], devices: 'none' },
  { event: 'cancelWaiting', from: ['SUBMITTED', 'QUEUED'], to: ['CANCELLED'], devices: 'none' },
  { event: 'queueDeadlinePassed', from: ['SUBMITTED', 'QUEUED'], to: ['FAILED'], devices: 'none' },
  { event: 'dependencyFailed', from: ['SUBMITTED', 'QUEUED'], to: ['FAILED'], devices: 'none' },
  { event: 'placed', from: ['QUEUED'], to: ['RESERVED'], devices: 'held' },
  /** after a restore: agents run its gang at a newer epoch than the row knew (P38) */
  { event: 'takenOver', from: ['QUEUED', ...placed, 'VACATING'], to: ['RESERVED', 'STARTING', 'RUNNING'], devices: 'held' },
  { event: 'allAccepted', from: ['RESERVED'], to: ['STARTING'], devices: 'held' },
  { event: 'allReady', from: ['STARTING'], to: ['RUNNING'], devices: 'held' },
  { event: 'startTimedOut', from: beforeRunning, to: ['VACATING'], devices: 'held' },
  { event: 'victimOrdered', from: placedAndHeard, to: ['VACATING'], devices: 'held' },
  { event: 'memberRefused', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'drained', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'moveOrdered', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'creditStopped', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'timeLimitReached', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'checkpointsUnreadable', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'memberFailed', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'allSucceeded', from: placed, to: ['SUCCEEDED'], devices: 'released' },
  { event: 'deathProven', from: placed, to: ['VACATING'], devices: 'held' },
  { event: 'nodeSilent', from: placedAndHeard, to: ['LOST'], devices: 'held' },
  { event: 'heardAgain', from: ['LOST'], to: ['RESERVED', 'STARTING', 'RUNNING'], devices: 'held' },
  { event: 'fencePassed', from: ['LOST'], to: ['VACATING'], devices: 'held' },
  { event: 'vacatedSucceeded', from: ['VACATING'], to: ['SUCCEEDED'], devices: 'settled' },
  { event: 'vacatedRequeued', from: ['VACATING'], to: ['QUEUED'], devices: 'settled' },
  { event: 'vacatedFailed', from: ['VACATING'], to: ['FAILED'], devices: 'settled' },
  { event: 'cancelActive', from: [...placed, 'VACATING'], to: ['CANCELLING'], devices: 'held' },
  { event: 'cancelFinished', from: ['CANCELLING'], to: ['CANCELLED'], devices: 'settled' },
] as const satisfies readonly Move[];

export type JobEvent = (typeof moves)[number]['event'];

const byEvent: ReadonlyMap<string, Move> = new Map(moves.map((move) => [move.event, move]));

/** The declared move of `event` out of `state`, or undefined where the table has none. */
export function moveOf(state: JobState, event: JobEvent): Move | undefined {
  const move = byEvent.get(event);
  return move?.from.includes(state) ? move : undefined;
}

const endedStates: ReadonlySet<JobState> = new Set(['SUCCEEDED', 'FAILED', 'CANCELLED', 'REJECTED']);
const waitingStates: ReadonlySet<JobState> = new Set(['SUBMITTED', 'QUEUED']);
const gangStates: ReadonlySet<JobState> = new Set(placed);

export const isEnded = (state: JobState): boolean => endedStates.has(state);
export const isWaiting = (state: JobState): boolean => waitingStates.has(state);
/** The job holds all devices of its gang. */
export const isPlaced = (state: JobState): boolean => gangStates.has(state);
/** Placed, or on its way out: some process may be alive. */
export const isActive = (state: JobState): boolean => !isEnded(state) && !isWaiting(state);

/** Why an epoch is being vacated. */
export type VacateReason =
  | 'memberFailed' | 'lost' | 'startTimeout' | 'refused'
  | 'preempt' | 'drain' | 'move'
  | 'timeLimit' | 'credit' | 'noReadableCheckpoint';

/** P29: a reason that ends in FAILED replaces one that requeues. */
const failing: ReadonlySet<VacateReason> = new Set(['timeLimit', 'credit', 'noReadableCheckpoint']);
export const endsInFailure = (reason: VacateReason): boolean => failing.has(reason);

const orderlyMoves: ReadonlySet<VacateReason> = new Set(['preempt', 'drain', 'move']);

/** Which budget the end of an epoch draws on. Orderly moves, and limits that end the job, draw on none. */
export type FailureCategory = 'user' | 'infrastructure' | 'none';

export interface AttemptCounters {
  readonly members: number;
  readonly accepted: number;
  readonly ready: number;
  readonly gone: number;
  /** exited 0 */
  readonly succeeded: number;
  /** exited otherwise before a stop was ordered */
  readonly userFailed: number;
  /** start refused by the agent */
  readonly refused: number;
}

/** P15: the state of a placed job follows from its counters, it is not remembered. */
export function stateFromCounters(counters: AttemptCounters): 'RESERVED' | 'STARTING' | 'RUNNING' {
  if (counters.accepted < counters.members) return 'RESERVED';
  if (counters.ready < counters.members) return 'STARTING';
  return 'RUNNING';
}

export function failureCategory(reason: VacateReason, counters: AttemptCounters): FailureCategory {
  if (counters.userFailed > 0) return 'user';
  return orderlyMoves.has(reason) || endsInFailure(reason) ? 'none' : 'infrastructure';
}

export interface RetryState {
  readonly userFailures: number;
  readonly infrastructureFailures: number;
  readonly userFailuresMax: number;
  readonly infrastructureFailuresMax: number;
  readonly backoffSeconds: number;
  readonly backoffMaxSeconds: number;
}

export type VacatedEnd =
  | { readonly event: 'vacatedSucceeded' }
  | { readonly event: 'vacatedFailed'; readonly category: FailureCategory }
  | { readonly event: 'vacatedRequeued'; readonly category: FailureCategory; readonly backoffSeconds: number };

/**
 * How a vacated epoch ends (design.md §4, last rows).
 * Lost epochs never succeed (P17): their right to publish is gone.
 */
export function vacatedEnd(reason: VacateReason, counters: AttemptCounters, retry: RetryState): VacatedEnd {
  if (reason !== 'lost' && counters.succeeded === counters.members) return { event: 'vacatedSucceeded' };
  const category = failureCategory(reason, counters);
  if (endsInFailure(reason)) return { event: 'vacatedFailed', category };
  const used = category === 'user' ? retry.userFailures : category === 'infrastructure' ? retry.infrastructureFailures : 0;
  const max = category === 'user' ? retry.userFailuresMax : category === 'infrastructure' ? retry.infrastructureFailuresMax : Infinity;
  if (used + 1 > max) return { event: 'vacatedFailed', category };
  if (category === 'none') return { event: 'vacatedRequeued', category, backoffSeconds: 0 };
  return { event: 'vacatedRequeued', category, backoffSeconds: Math.min(retry.backoffMaxSeconds, retry.backoffSeconds * 2 ** used) };
}

/** Classes of base priority; higher goes first. */
export const priorityOf = { low: 100, normal: 500, high: 900 } as const;
export type PriorityClass = keyof typeof priorityOf;

export const topologyLevels = ['region', 'zone', 'pod', 'rack', 'nvlink', 'node'] as const;
export type TopologyLevel = (typeof topologyLevels)[number];

/** epoch = incarnation · 2³² + n (design.md §3.4); a bigint in code, a decimal string on every wire. */
export const firstEpoch = (incarnation: number): bigint => (BigInt(incarnation) << 32n) + 1n;
export function nextEpoch(current: bigint, incarnation: number): bigint {
  const first = firstEpoch(incarnation);
  return current + 1n > first ? current + 1n : first;
}

/** Temporal names (design.md §7). */
export const jobWorkflowId = (jobId: string): string => `job/${jobId}`;
export const jobWorkflowType = 'job';
export const jobTaskQueue = 'muster-jobs';
export const wakeSignal = 'wake';

/** What the Web UI lists and filters runs by. Keywords are few: a namespace on Postgres has ten (stack.md 2.2). */
export const jobSearchAttributes = {
  job: { name: 'MusterJob', type: 'KEYWORD' },
  team: { name: 'MusterTeam', type: 'KEYWORD' },
  phase: { name: 'MusterPhase', type: 'KEYWORD' },
  epoch: { name: 'MusterEpoch', type: 'INT' },
  devices: { name: 'MusterDevices', type: 'INT' },
  priority: { name: 'MusterPriority', type: 'INT' },
} as const;

/** What an operator filters by: coarser than the state, since each change of it costs the run an event. */
export type SupervisionPhase = 'PLACED' | 'LOST' | 'VACATING' | 'CANCELLING';

/** What a run is started with beside its wake: for people and for the Web UI's list, never for a decision. */
export interface PlacementFacts {
  readonly name: string;
  readonly team: string;
  readonly members: number;
  /** whole devices of the gang */
  readonly devices: number;
  readonly priority: number;
  /** request that submitted the job */
  readonly requestId?: string | null;
}

/** Carried by every wake: what the row said when the event was written. All decimal strings: payloads hold no bigint (ST27). */
export interface Wake {
  readonly epoch: string;
  readonly version: string;
  readonly state: JobState;
}

export interface JobWorkflowInput {
  readonly jobId: string;
  readonly epoch: string;
}

/** A transition activity never throws on conflict (design.md §6). */
export type Outcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'already' }
  | { readonly kind: 'superseded'; readonly state: JobState; readonly version: string; readonly epoch: string };

/** What a run reads at start and at each wake: the row, its counters, and which deadlines have passed by the database's clock. */
export interface SupervisionView {
  readonly jobId: string;
  readonly name: string;
  readonly team: string;
  readonly state: JobState;
  readonly version: string;
  readonly epoch: string;
  readonly incarnation: number;
  /** a restore is being reconciled: nothing is to be decided (P35) */
  readonly frozen: boolean;
  readonly counters: AttemptCounters;
  readonly vacateReason: VacateReason | null;
  /** some member's start was refused because no checkpoint could be read, and none is left */
  readonly checkpointsUnreadable: boolean;
  /** start time-out passed, counted only while every member's node was heard */
  readonly startDue: boolean;
  /** time limit over all attempts passed */
  readonly timeLimitDue: boolean;
  /** LOST, and t_fence of a silent node that still has a member has passed (P16) */
  readonly fenceDue: boolean;
  /** VACATING or CANCELLING, and all are gone, or the rest counts as unreachable */
  readonly endDue: boolean;
  /** until one of the above may become due by time alone; null: only an event can */
  readonly nextDeadlineMs: number | null;
  /** for people: what this waits for, e.g. "rank 2 on node-3 to stop, killed in 12 s" */
  readonly waitingFor: string;
}

/** What an activity that changes the row carries: the view that the decision was made on. Anything newer supersedes it. */
export interface Decided {
  readonly jobId: string;
  readonly epoch: string;
  readonly version: string;
  readonly incarnation: number;
}
