/** Server-sent events with resume: a connection that ends is opened again after the last id that was seen. */
import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { refusalOf, unreachable, type Connection } from './client.ts';

const retryMinMs = 200;
const retryMaxMs = 5_000;
/** Without an answer for that many tries in a row the stream gives up: the API is not there. */
const triesMax = 20;

export interface StreamOptions {
  readonly connection: Connection;
  /** with its query */
  readonly path: string;
  readonly lastEventId?: string;
  readonly signal: AbortSignal;
  /** an `end` event of the server ends the stream; without one it goes on until the signal */
  readonly endEvent?: string;
}

/** @throws Refused · Unreachable, when nothing was answered for `triesMax` tries */
export async function* streamEvents(options: StreamOptions): AsyncGenerator<EventSourceMessage> {
  let lastId = options.lastEventId;
  let tries = 0;
  while (!options.signal.aborted) {
    try {
      const body = await open(options, lastId);
      tries = 0;
      for await (const message of body.pipeThrough(new TextDecoderStream() as never).pipeThrough(new EventSourceParserStream()) as unknown as AsyncIterable<EventSourceMessage>) {
        if (message.id !== undefined) lastId = message.id;
        yield message;
        if (message.event !== undefined && message.event === options.endEvent) return;
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!isConnectionTrouble(error) || ++tries >= triesMax) throw isConnectionTrouble(error) ? unreachable(options.connection.url, error) : error;
    }
    await delay(Math.min(retryMaxMs, retryMinMs * 2 ** tries), undefined, { signal: options.signal }).catch(() => undefined);
  }
}

async function open({ connection, path, signal }: StreamOptions, lastId: string | undefined): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(`${connection.url}${path}`, {
    signal,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${connection.key}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
  });
  if (response.ok && response.body) return response.body as ReadableStream<Uint8Array>;
  const refusal = refusalOf(await response.json().catch(() => undefined), response);
  if (response.status === 503) throw new ServerAway(refusal.message);
  throw refusal;
}

/** 503: worth another try. */
class ServerAway extends Error {}

const isConnectionTrouble = (error: unknown): boolean =>
  error instanceof ServerAway || error instanceof TypeError || (error instanceof Error && /terminated|aborted|ECONN/.test(error.message));
