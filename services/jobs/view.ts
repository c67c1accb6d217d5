/** Jobs, attempts and members as the API shows them. Schemas and shaping stand together: they change together. */
import Type, { type Static } from 'typebox';
import type { Config } from '../platform/config.ts';
import type { AttemptWithMembers } from './attempts.ts';
import { jobStates, jobWorkflowId, type JobState, type VacateReason } from './model.ts';
import type { JobFacts, StoredEvent } from './queries.ts';
import type { JobSpec } from './spec.ts';
import type { JobRow, MemberRow } from './store.ts';

const nullable = <Value>(type: 'string' | 'integer', description?: string) =>
  Type.Unsafe<Value | null>({ type: [type, 'null'], ...(description ? { description } : {}) });
const time = nullable<string>('string', 'RFC 3339');
const decimal = Type.String({ pattern: '^[0-9]+$', description: 'Decimal string' });
const State = Type.Enum([...jobStates]);

const Budget = Type.Object({ used: Type.Integer(), max: Type.Integer() });

export const JobView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  team: Type.String(),
  state: State,
  reason: Type.String({ description: 'Why it is in this state, in a sentence' }),
  version: decimal,
  epoch: decimal,
  members: Type.Object({ total: Type.Integer(), accepted: Type.Integer(), ready: Type.Integer(), gone: Type.Integer() }),
  attempts: Type.Integer(),
  budgets: Type.Object({ userFailures: Budget, infrastructureFailures: Budget }),
  preemptions: Type.Integer(),
  waiting: Type.Union([
    Type.Object({ code: Type.String(), detail: Type.String(), since: time, ageMs: Type.Integer({ description: 'How long this has been the reason' }) }),
    Type.Null(),
  ], { description: 'Why the scheduler has not placed it' }),
  notBefore: time,
  progress: Type.Union([
    Type.Object({ step: decimal, totalSteps: nullable<string>('string'), message: nullable<string>('string') }), Type.Null(),
  ], { description: 'Last reported by rank 0' }),
  checkpoint: Type.Union([
    Type.Object({ id: nullable<string>('string', 'null: commits exist and none can be read'), epoch: decimal, step: decimal, committedAt: time }), Type.Null(),
  ], { description: 'What a restart gets' }),
  retryOf: nullable<string>('string'),
  submittedAt: Type.String({ format: 'date-time' }),
  stateSince: Type.String({ format: 'date-time' }),
  stateAgeMs: Type.Integer(),
  endedAt: time,
  spec: Type.Unsafe<JobSpec>({ $ref: 'JobSpec#' }),
  links: Type.Object({ self: Type.String(), workflow: nullable<string>('string', 'Supervision in the Temporal Web UI; null before the first placement'), runbook: Type.String() }),
}, { $id: 'Job' });
export type JobView = Static<typeof JobView>;

const MemberView = Type.Object({
  rank: Type.Integer(),
  state: Type.Enum(['ordered', 'accepted', 'ready', 'stopping', 'exited', 'gone', 'refused', 'proven dead']),
  node: Type.String(),
  localRank: Type.Integer(),
  devices: Type.Array(Type.Integer()),
  exitCode: nullable<number>('integer'),
  signal: nullable<string>('string'),
  refusal: nullable<string>('string'),
  stopReason: nullable<string>('string'),
  detail: nullable<string>('string'),
  pid: nullable<number>('integer'),
  progress: Type.Union([Type.Object({ step: decimal, totalSteps: nullable<string>('string'), message: nullable<string>('string') }), Type.Null()]),
  acceptedAt: time,
  readyAt: time,
  goneAt: time,
});

export const AttemptView = Type.Object({
  job: Type.String(),
  epoch: decimal,
  state: Type.String({ description: 'How it ended, or `OPEN`' }),
  endReason: nullable<string>('string'),
  fenced: Type.Boolean({ description: 'Nothing of this epoch can be published any more' }),
  resumedFrom: nullable<string>('string', 'Checkpoint'),
  reservedAt: time,
  startingAt: time,
  runningAt: time,
  endedAt: time,
  members: Type.Array(MemberView),
}, { $id: 'Attempt' });

export const JobEventView = Type.Object({
  pos: decimal,
  kind: Type.String(),
  version: decimal,
  at: Type.String({ format: 'date-time' }),
  payload: Type.Record(Type.String(), Type.Unknown()),
}, { $id: 'JobEvent' });

export type ViewConfig = Pick<Config, 'temporalUiUrl' | 'temporalNamespace'>;

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** What is known of a job that was inserted in this transaction, without reading it again. */
export function factsOfNewJob(job: JobRow, team: string): JobFacts {
  return {
    job, team, attempts: 0, submittedAtMicros: `${job.submitted_at.getTime()}000`, stateAgeMs: 0, waitingAgeMs: null,
    membersGone: null, membersReady: null, membersAccepted: null, progress: null, failure: null, checkpoint: null,
  };
}

export function toJobView(facts: JobFacts, config: ViewConfig): JobView {
  const { job, checkpoint, progress } = facts;
  const retry = job.spec.retry;
  return {
    id: job.id,
    name: job.name,
    team: facts.team,
    state: job.state,
    reason: reasonOf(facts),
    version: job.version.toString(),
    epoch: job.epoch.toString(),
    members: { total: job.members, accepted: facts.membersAccepted ?? 0, ready: facts.membersReady ?? 0, gone: facts.membersGone ?? 0 },
    attempts: facts.attempts,
    budgets: {
      userFailures: { used: job.user_failures, max: retry.userFailures },
      infrastructureFailures: { used: job.infrastructure_failures, max: retry.infrastructureFailures },
    },
    preemptions: job.preemptions,
    waiting: job.state !== 'QUEUED' || job.waiting_reason === null ? null
      : { code: job.waiting_reason, detail: job.waiting_detail ?? '', since: iso(job.waiting_since), ageMs: Math.round(facts.waitingAgeMs ?? 0) },
    notBefore: iso(job.not_before),
    progress: progress && { step: progress.step, totalSteps: progress.total, message: progress.message },
    checkpoint: checkpoint && { id: checkpoint.id, epoch: checkpoint.epoch, step: checkpoint.step, committedAt: iso(checkpoint.movedAt) },
    retryOf: job.retry_of,
    submittedAt: job.submitted_at.toISOString(),
    stateSince: job.state_since.toISOString(),
    stateAgeMs: Math.round(facts.stateAgeMs),
    endedAt: iso(job.ended_at),
    spec: job.spec,
    links: linksOf(facts, config),
  };
}

function linksOf({ job }: JobFacts, config: ViewConfig): JobView['links'] {
  return {
    self: `/v1/jobs/${job.id}`,
    workflow: job.epoch === 0n ? null : `${config.temporalUiUrl}/namespaces/${encodeURIComponent(config.temporalNamespace)}/workflows/${encodeURIComponent(jobWorkflowId(job.id))}`,
    runbook: `docs/operations.md#${runbookOf(job.state)}`,
  };
}

function runbookOf(state: JobState): string {
  switch (state) {
    case 'SUBMITTED': case 'QUEUED': return 'a-job-waits';
    case 'RESERVED': case 'STARTING': return 'a-job-does-not-start';
    case 'RUNNING': return 'a-job-runs';
    case 'LOST': return 'a-job-is-lost';
    case 'VACATING': case 'CANCELLING': return 'a-job-does-not-stop';
    case 'SUCCEEDED': case 'FAILED': case 'CANCELLED': case 'REJECTED': return 'a-job-has-ended';
  }
}

/** One sentence: what it waits for, what it does, or how it ended. */
function reasonOf(facts: JobFacts): string {
  const { job } = facts;
  const total = job.members;
  switch (job.state) {
    case 'SUBMITTED': return 'Waits for its credit hold.';
    case 'QUEUED': return job.waiting_detail ?? (job.detail ? `Waits for a placement. Before: ${job.detail}` : 'Waits for the next round of the scheduler.');
    case 'RESERVED': return `Placed; ${facts.membersAccepted ?? 0} of ${total} members have accepted their start.`;
    case 'STARTING': return `${facts.membersReady ?? 0} of ${total} members are ready.`;
    case 'RUNNING': return `${total - (facts.membersGone ?? 0)} of ${total} members run${facts.membersGone ? `, ${facts.membersGone} are gone` : ''}.`;
    case 'LOST': return 'A node of a member is silent; the epoch is fenced when its lease and drift have passed, unless it is heard before.';
    case 'VACATING': return `Stops because ${causeOf(job.vacate_reason)}: ${facts.membersGone ?? 0} of ${total} members are gone.${failureOf(facts)}${job.detail ? ` ${job.detail}` : ''}`;
    case 'CANCELLING': return `Is being cancelled: ${facts.membersGone ?? 0} of ${total} members are gone. ${job.detail ?? ''}`.trim();
    case 'SUCCEEDED': return `All ${total} members exited with 0.`;
    case 'FAILED': return job.vacate_reason ? `Failed because ${causeOf(job.vacate_reason)}.${failureOf(facts)} ${job.detail ?? ''}`.trim() : job.detail ?? 'Failed.';
    case 'CANCELLED': case 'REJECTED': return job.detail ?? `Ended as ${job.state}.`;
  }
}

const causes: Readonly<Record<VacateReason, string>> = {
  memberFailed: 'a member failed',
  lost: 'a member was lost',
  startTimeout: 'it did not start in time',
  refused: 'a node refused a start',
  preempt: 'it was preempted',
  drain: 'its node is drained',
  move: 'it is moved',
  timeLimit: 'its time limit was reached',
  credit: 'its credit ended',
  noReadableCheckpoint: 'commits exist and none of them can be read',
};
const causeOf = (reason: VacateReason | null): string => (reason === null ? 'it was told to' : causes[reason]);

function failureOf({ failure }: JobFacts): string {
  if (!failure) return '';
  return ` Rank ${failure.rank} on ${failure.node} ${failure.signal === null ? `exited with ${failure.exitCode ?? 'an unknown code'}` : `was ended by ${failure.signal}`}.`;
}

export function toAttemptView({ attempt, members }: AttemptWithMembers): Static<typeof AttemptView> {
  return {
    job: attempt.job_id,
    epoch: attempt.epoch.toString(),
    state: attempt.end_state ?? 'OPEN',
    endReason: attempt.end_reason,
    fenced: attempt.fenced,
    resumedFrom: attempt.resume_checkpoint,
    reservedAt: iso(attempt.reserved_at),
    startingAt: iso(attempt.starting_at),
    runningAt: iso(attempt.running_at),
    endedAt: iso(attempt.ended_at),
    members: members.map(toMemberView),
  };
}

function toMemberView(member: MemberRow): Static<typeof MemberView> {
  return {
    rank: member.rank,
    state: memberState(member),
    node: member.node_id,
    localRank: member.local_rank,
    devices: member.devices,
    exitCode: member.exit_code,
    signal: member.exit_signal,
    refusal: member.refusal_code,
    stopReason: member.stop_reason,
    detail: member.detail,
    pid: member.pid,
    progress: member.progress_step === null ? null
      : { step: member.progress_step.toString(), totalSteps: member.progress_total?.toString() ?? null, message: member.progress_message },
    acceptedAt: iso(member.accepted_at),
    readyAt: iso(member.ready_at),
    goneAt: iso(member.gone_at),
  };
}

function memberState(member: MemberRow): Static<typeof MemberView>['state'] {
  if (member.gone_at) return member.gone_kind === 'proof' ? 'proven dead' : (member.gone_kind as 'exited' | 'gone' | 'refused' | null) ?? 'gone';
  if (member.desired === 'stop') return 'stopping';
  if (member.ready_at) return 'ready';
  return member.accepted_at ? 'accepted' : 'ordered';
}

export function toJobEventView(event: StoredEvent): Static<typeof JobEventView> {
  return { pos: event.pos.toString(), kind: event.kind, version: event.version.toString(), at: event.createdAt.toISOString(), payload: event.payload as Record<string, unknown> };
}
