/**
 * Events: dirty keys with a version (design.md §3.1). A reader re-reads the row or applies higher versions, never deltas.
 */
import type { JobState } from '../jobs/model.ts';

/**
 * job.placed: a new epoch holds its devices (starts supervision; exempt from drop-lower, P26) · job.changed: any other
 * move · job.attention: counters that decide have changed without a move (a member failed, all exited, all gone).
 */
export const eventKinds = [
  'job.submitted', 'job.placed', 'job.changed', 'job.attention',
  'checkpoint.committed', 'checkpoint.bad',
  'node.changed',
  'team.created',
] as const;
export type EventKind = (typeof eventKinds)[number];

export interface Event {
  /** `job/<id>`, `node/<name>` …: order is kept per key */
  readonly key: string;
  readonly version: bigint;
  readonly kind: EventKind;
  readonly payload: EventPayload;
}

export type EventPayload = Readonly<Record<string, string | number | boolean | null>>;

/** An event with its place in the commit-safe order. */
export interface SequencedEvent extends Event {
  readonly pos: bigint;
  readonly createdAt: Date;
}

/** Payload of every job.* event. */
export interface JobEventPayload extends EventPayload {
  readonly job: string;
  readonly team: string;
  readonly state: JobState;
  readonly epoch: string;
  readonly reason: string | null;
  /** request that submitted the job */
  readonly request: string | null;
}

export const jobKey = (jobId: string): string => `job/${jobId}`;
export const nodeKey = (nodeId: string): string => `node/${nodeId}`;

/** Core NATS subject on which writers say, after commit, that the outbox has rows. Carries nothing. */
export const outboxWakeSubject = 'muster.wake.outbox';
/** JetStream stream of published events and its subjects: `events.<kind with dots>.<key with dots>`. */
export const eventStream = 'MUSTER_EVENTS';
export const eventSubjectPrefix = 'events';
export const logStream = 'MUSTER_LOGS';
