/** Events and dead letters as the API shows them. */
import Type, { type Static } from 'typebox';
import type { DeadLetter } from './dead-letters.ts';
import type { SequencedEvent } from './model.ts';

const decimal = Type.String({ pattern: '^[0-9]+$' });
const time = Type.String({ format: 'date-time' });
const payload = Type.Record(Type.String(), Type.Unknown());

export const EventView = Type.Object({
  pos: decimal,
  key: Type.String({ description: '`job/<id>`, `node/<name>` …: order is kept per key' }),
  kind: Type.String(),
  version: decimal,
  at: time,
  payload,
}, { $id: 'Event' });

export const DeadLetterView = Type.Object({
  id: Type.String(),
  consumer: Type.String(),
  state: Type.String({ description: 'DEAD · REDRIVEN: waits for its consumer · HANDLED' }),
  error: Type.String({ description: 'Of the last try' }),
  deliveries: Type.Integer(),
  pos: decimal,
  key: Type.String(),
  kind: Type.String(),
  version: decimal,
  payload,
  createdAt: time,
  redrivenAt: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
}, { $id: 'DeadLetter' });

export const toEventView = (event: SequencedEvent): Static<typeof EventView> => ({
  pos: event.pos.toString(), key: event.key, kind: event.kind, version: event.version.toString(), at: event.createdAt.toISOString(), payload: { ...event.payload },
});

export const toDeadLetterView = (letter: DeadLetter): Static<typeof DeadLetterView> => ({
  id: letter.id, consumer: letter.consumer, state: letter.state, error: letter.error, deliveries: letter.deliveries,
  pos: letter.pos.toString(), key: letter.key, kind: letter.kind, version: letter.version.toString(), payload: { ...letter.payload },
  createdAt: letter.createdAt.toISOString(), redrivenAt: letter.redrivenAt?.toISOString() ?? null,
});
