/** REST routes of events and dead letters. */
import Type from 'typebox';
import { audit } from '../audit/append.ts';
import { namePattern } from '../jobs/spec.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import type { Log } from '../platform/log.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { SseStreams } from '../platform/sse.ts';
import { findTeam } from '../teams/find.ts';
import { deadLetterStates, listDeadLetters, redriveDeadLetter, redriveWakeSubject } from './dead-letters.ts';
import { EventFeed } from './feed.ts';
import { eventKinds } from './model.ts';
import { streamEvents } from './stream.ts';
import { DeadLetterView, EventView, toDeadLetterView } from './view.ts';

export interface EventRouteDeps {
  readonly db: Db;
  readonly log: Log;
  /** undefined until NATS has answered for the first time */
  readonly bus: () => Bus | undefined;
  readonly config: Pick<Config, 'pollMs' | 'pageSizeMax' | 'sseHeartbeatMs' | 'sseBufferBytesMax' | 'sseClientsMax'>;
}

const position = Type.String({ pattern: '^[0-9]{1,18}$', description: 'Position of the last event that was seen; those after it follow' });

const EventQuery = Type.Object({
  after: Type.Optional(position),
  kind: Type.Optional(Type.Array(Type.Enum([...eventKinds]), { maxItems: eventKinds.length, description: 'Repeatable: any of these' })),
  key: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'One object, for instance `node/node-1`' })),
  job: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Id of a job: its own events and those of its checkpoints' })),
  team: Type.Optional(Type.String({ pattern: namePattern, description: 'Name of a team' })),
}, { additionalProperties: false });

const ResumeHeaders = Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 64, description: 'As EventSource sends it; wins over `after`' })) });

const eventStreamResponse = {
  description: 'Server-sent events: `id` is the position, `event` the kind, `data` an Event',
  content: { 'text/event-stream': { schema: { $ref: 'Event#' } } },
};

export function eventRoutes(app: Api, deps: EventRouteDeps): void {
  for (const schema of [EventView, DeadLetterView]) app.addSchema(schema);
  streams(app, deps);
  deadLetters(app, deps);
}

function streams(app: Api, deps: EventRouteDeps): void {
  const feed = new EventFeed(deps);
  const open = new SseStreams(deps.config);
  app.addHook('preClose', async () => {
    open.close();
    await feed.close();
  });

  app.get('/v1/events', {
    schema: {
      operationId: 'streamEvents', summary: 'Follow events', tags: ['events'],
      description: 'Without `Last-Event-ID` or `after`: from now on. With it: everything after that position, without gap or repetition. `410 gone`, when that part is no longer kept.',
      querystring: EventQuery, headers: ResumeHeaders,
      response: { 200: eventStreamResponse, ...problems(404, 410) },
    },
    config: { allow: 'events:read' },
  }, async (request, reply) => {
    const { after, kind, key, job, team: teamName } = request.query;
    const team = teamName === undefined ? undefined : await findTeam(deps.db, request.access.see, teamName);
    if (teamName !== undefined && !team) throw problem('team_not_found', { team: teamName });
    await streamEvents({ db: deps.db, log: deps.log, feed, streams: open }, reply, {
      scope: request.access.see,
      scopeNow: async () => (await app.accessNow(request))?.see,
      afterPos: resumeFrom(request.headers['last-event-id'] ?? after),
      filter: { kinds: kind, key, job, teamId: team?.id },
    });
  });
}

function resumeFrom(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,18}$/.test(text)) throw problem('invalid_request', {}, [{ pointer: '/last-event-id', detail: 'header last-event-id must be the id of an event' }]);
  return BigInt(text);
}

function deadLetters(app: Api, { db, bus, config }: EventRouteDeps): void {
  app.get('/v1/dead-letters', {
    schema: {
      operationId: 'listDeadLetters', summary: 'List events that a consumer could not handle, newest first', tags: ['events'],
      querystring: Type.Object({
        ...pageQuery(config.pageSizeMax),
        state: Type.Optional(Type.Enum([...deadLetterStates])),
        consumer: Type.Optional(Type.String({ pattern: namePattern })),
      }, { additionalProperties: false }),
      response: { 200: Type.Object({ items: Type.Array(refTo(DeadLetterView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'dead-letters:read' },
  }, async ({ query: { page_size, page_token, ...filter } }) => {
    const size = page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const filters = { deadLetters: filter };
    const rows = await listDeadLetters(db, filter, pageKey(page_token, filters, [/^dead_[0-9a-z]{26}$/])?.[0], size + 1);
    return toPage(rows, size, toDeadLetterView, (last) => pageToken([last.id], filters));
  });

  app.post('/v1/dead-letters/:id/redrive', {
    schema: {
      operationId: 'redriveDeadLetter', summary: 'Have its consumer handle a dead letter again', tags: ['events'],
      description: 'Its state becomes REDRIVEN, then HANDLED, or DEAD again with the new error. Repeating it while it waits changes nothing.',
      params: Type.Object({ id: Type.String({ description: 'Id, `dead_…`' }) }),
      response: { 202: refTo(DeadLetterView), ...problems(404) },
    },
    config: { allow: 'dead-letters:write' },
  }, async (request, reply) => {
    const letter = await inTransaction(db, async (tx) => {
      const redriven = await redriveDeadLetter(tx, request.params.id);
      await audit(tx, request, { action: 'dead-letter.redrive', target: `dead-letter/${redriven.id}`, after: redriven });
      return redriven;
    });
    bus()?.publish(redriveWakeSubject, null);
    return reply.code(202).send(toDeadLetterView(letter));
  });
}
