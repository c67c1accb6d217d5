/** The API of an event world on a real port, and a client of its streams. */
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import type { Environment } from '#services/platform/config.ts';
import { createApi } from '#services/roles/api.ts';
import { createApiKey } from '#services/teams/api-keys.ts';
import { openEventWorld, type EventWorld } from './events.ts';

export interface StreamWorld extends EventWorld {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** opened streams are closed with the world */
  stream(path: string, headers?: Record<string, string>): Promise<Stream>;
}

export interface Stream {
  readonly status: number;
  /** of a refusal */
  readonly problem: { readonly code: string; readonly context: Record<string, unknown> } | undefined;
  /** the next messages; fewer, where the stream ended */
  take(count: number): Promise<EventSourceMessage[]>;
  /** comments seen so far */
  readonly comments: readonly string[];
  close(): void;
}

export async function openStreamWorld(settings: Environment = {}): Promise<StreamWorld> {
  const world = await openEventWorld({ MUSTER_POLL_MS: '60000', ...settings });
  const app = await createApi({ db: world.db, config: world.config, log: world.log, bus: () => world.bus });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const headers = { authorization: `Bearer ${await createApiKey(world.db, { name: 'test', scopes: ['*'] })}` };
  const opened: Stream[] = [];
  return {
    ...world, url, headers,
    stream: async (path, more = {}) => {
      const stream = await openStream(`${url}${path}`, { accept: 'text/event-stream', ...headers, ...more });
      opened.push(stream);
      return stream;
    },
    close: async () => {
      for (const stream of opened) stream.close();
      await app.close();
      await world.close();
    },
  };
}

async function openStream(url: string, headers: Record<string, string>): Promise<Stream> {
  const ending = new AbortController();
  const response = await fetch(url, { headers, signal: ending.signal });
  const comments: string[] = [];
  const isStream = String(response.headers.get('content-type')).startsWith('text/event-stream');
  const reader = isStream && response.body
    ? (response.body.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>)
      .pipeThrough(new EventSourceParserStream({ onComment: (comment) => comments.push(comment) })).getReader()
    : undefined;
  return {
    status: response.status,
    problem: reader ? undefined : await response.json() as Stream['problem'],
    comments,
    async take(count) {
      const found: EventSourceMessage[] = [];
      while (found.length < count) {
        const { done, value } = await reader!.read().catch(() => ({ done: true as const, value: undefined }));
        if (done) break;
        found.push(value);
      }
      return found;
    },
    close: () => ending.abort(),
  };
}
