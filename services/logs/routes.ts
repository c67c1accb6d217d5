/** REST route of a job's logs. */
import Type from 'typebox';
import { requireJob } from '../jobs/get.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { problems, type Api } from '../platform/http.ts';
import type { Log } from '../platform/log.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { SseStreams, type SseStream } from '../platform/sse.ts';
import { cutWhenScopeChanges } from '../platform/sse-rights.ts';
import type { LogLine } from './assembly.ts';
import { readJobLogs, type LogDeps, type LogRequest } from './read.ts';
import { sendText } from './text.ts';

export interface LogRouteDeps {
  readonly db: Db;
  readonly log: Log;
  /** undefined until NATS has answered for the first time */
  readonly bus: () => Bus | undefined;
  readonly config: Pick<Config, 'sseHeartbeatMs' | 'sseBufferBytesMax' | 'sseClientsMax'>;
}

const LogQuery = Type.Object({
  rank: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_095, description: 'One member; all where absent' })),
  attempt: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: 'Epoch of the attempt; all where absent' })),
  follow: Type.Optional(Type.Boolean({ default: false, description: 'Goes on until the job, or the attempt, has ended and all is read' })),
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'Id of the last message that was read' })),
}, { additionalProperties: false });

const LogHeaders = Type.Object({ 'last-event-id': Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: 'As EventSource sends it; wins over `after`' })) });

const output = {
  description: 'With `Accept: text/event-stream` server-sent events `output`, `notice` and at last `end`, whose data are `{rank, epoch, stream, node, at, text}`; otherwise plain text, each line with its rank in front',
  content: { 'text/event-stream': { schema: { type: 'string' } }, 'text/plain': { schema: { type: 'string' } } },
};

export function logRoutes(app: Api, deps: LogRouteDeps): void {
  const streams = new SseStreams(deps.config);
  app.addHook('preClose', async () => streams.close());

  app.get('/v1/jobs/:job/logs', {
    schema: {
      operationId: 'readJobLogs', summary: 'Read or follow what the members of a job print', tags: ['jobs'],
      description: 'Logs outlive the node. Bytes that are no text are shown as U+FFFD, control characters as \\x1b and the like.',
      params: Type.Object({ job: Type.String({ description: 'Id, `job_…`' }) }), querystring: LogQuery, headers: LogHeaders,
      response: { 200: output, ...problems(404) },
    },
    config: { allow: 'logs:read' },
  }, async (request, reply) => {
    await requireJob(deps.db, request.access, request.params.job);
    const bus = deps.bus();
    if (!bus?.connected()) throw problem('unavailable', { part: 'nats' });
    const { rank, attempt, follow, after } = request.query;
    const wanted: LogRequest = {
      jobId: request.params.job, rank, epoch: attempt === undefined ? undefined : BigInt(attempt), follow: follow ?? false,
      afterSeq: Number(request.headers['last-event-id'] ?? after ?? 0),
    };
    const reading = { db: deps.db, bus };
    if (!(request.headers.accept ?? '').includes('text/event-stream')) return sendText(reply, readJobLogs(reading, wanted));
    const stream = streams.open(reply);
    cutWhenScopeChanges(stream, request.access.see, async () => (await app.accessNow(request))?.see);
    copy(stream, reading, wanted).catch((error: unknown) => {
      request.log.warn({ job: wanted.jobId, error: error instanceof Error ? error.message : String(error) }, 'a log stream was cut');
      stream.cut();
    });
    return reply;
  });
}

async function copy(stream: SseStream, deps: LogDeps, request: LogRequest): Promise<void> {
  let seq = request.afterSeq;
  for await (const line of readJobLogs(deps, request)) {
    if (stream.over.aborted) return;
    if (!line) continue;
    seq = line.seq;
    await stream.send({ id: String(seq), event: line.kind, data: toView(line) });
  }
  stream.end({ id: String(seq), event: 'end', data: {} });
}

const toView = ({ rank, epoch, stream, node, atMs, text }: LogLine) => ({ rank, epoch, stream, node, at: new Date(atMs).toISOString(), text });
