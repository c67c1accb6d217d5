/** One GET of server-sent events, as a client reads it. */
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import type { Fleet } from './fleet.ts';

export interface OpenStream {
  /** reads until `enough`, or until the stream ends @returns all that came so far */
  read(enough: (message: EventSourceMessage) => boolean): Promise<EventSourceMessage[]>;
  close(): void;
}

const streamTimeoutMs = 20_000;

export async function openStream(fleet: Fleet, url: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const ending = new AbortController();
  const response = await fetch(new URL(url, fleet.connection.url), {
    headers: { authorization: `Bearer ${fleet.connection.key}`, accept: 'text/event-stream', ...headers },
    signal: AbortSignal.any([ending.signal, AbortSignal.timeout(streamTimeoutMs)]),
  });
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  const messages = (response.body.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>)
    .pipeThrough(new EventSourceParserStream()).getReader();
  const seen: EventSourceMessage[] = [];
  return {
    async read(enough) {
      for (;;) {
        const { done, value } = await messages.read();
        if (done) return seen;
        seen.push(value);
        if (enough(value)) return seen;
      }
    },
    close: () => ending.abort(),
  };
}
