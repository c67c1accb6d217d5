/** An event as it is published: what consumers of the stream get. Positions and versions are decimal strings. */
import { eventSubjectPrefix, type EventKind, type EventPayload, type SequencedEvent } from './model.ts';

export interface EventMessage {
  /** of the cluster: positions of another life of the database mean nothing (design.md §3.4) */
  readonly incarnation: number;
  readonly pos: string;
  readonly key: string;
  readonly version: string;
  readonly kind: EventKind;
  readonly payload: EventPayload;
  readonly createdAt: string;
}

export const toMessage = (event: SequencedEvent, incarnation: number): EventMessage => ({
  incarnation,
  pos: event.pos.toString(),
  key: event.key,
  version: event.version.toString(),
  kind: event.kind,
  payload: event.payload,
  createdAt: event.createdAt.toISOString(),
});

/** The server drops a second message of the same id within the stream's duplicate window. */
export const messageId = (pos: bigint, incarnation: number): string => `${incarnation}-${pos}`;

/** The position in a message id, for a message whose body can't be read. */
export const positionOf = (id: string): bigint | undefined => {
  const pos = /^\d{1,7}-(\d{1,19})$/.exec(id)?.[1];
  return pos === undefined ? undefined : BigInt(pos);
};

/** `events.<scope>.<kind>.<key>`, with dots for the key's slashes. What NATS doesn't take in a subject becomes `_`. */
export const subjectOf = (scope: string, event: Pick<SequencedEvent, 'kind' | 'key'>): string =>
  `${eventSubjectPrefix}.${scope}.${event.kind}.${event.key.split('/').map(token).join('.')}`;

const token = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '_') || '_';

const decimal = /^\d{1,19}$/;

/** @returns undefined for what isn't an event */
export function parseMessage(value: unknown): EventMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { incarnation, pos, key, version, kind, payload, createdAt } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(incarnation) || typeof pos !== 'string' || !decimal.test(pos)) return undefined;
  if (typeof version !== 'string' || !decimal.test(version) || typeof key !== 'string' || typeof kind !== 'string') return undefined;
  if (typeof payload !== 'object' || payload === null || typeof createdAt !== 'string') return undefined;
  return { incarnation: incarnation as number, pos, key, version, kind: kind as EventKind, payload: payload as EventPayload, createdAt };
}
