/**
 * Server-sent events: one stream to one client, with a bounded buffer. A client that takes nothing for a while is cut
 * off, and resumes after the last id it saw.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Config } from './config.ts';
import { problem } from './errors.ts';
import { openStreams } from './metrics.ts';

export interface SseMessage {
  /** where the client resumes: all up to here was sent, or did not match */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

type SseConfig = Pick<Config, 'sseHeartbeatMs' | 'sseBufferBytesMax' | 'sseClientsMax'>;

/** How soon a client that was cut off or lost its connection comes back. */
const retryMs = 1_000;
/** A client with a full buffer that takes nothing for that many heartbeats is gone, or as good as. */
const stallBeats = 2;

const streamed = new WeakSet<ServerResponse>();
/** Whether a response became a stream: it lasts as long as its reader stays. */
export const isStream = (response: ServerResponse): boolean => streamed.has(response);

/** The open streams of one API process. */
export class SseStreams {
  readonly #config: SseConfig;
  readonly #open = new Set<SseStream>();

  constructor(config: SseConfig) {
    this.#config = config;
  }

  get size(): number { return this.#open.size; }

  /** Before anything is sent. @throws `too_many_streams` 503 */
  requireRoom(): void {
    if (this.#open.size >= this.#config.sseClientsMax) throw problem('too_many_streams', { max: this.#config.sseClientsMax });
  }

  /** From here on the reply is the stream's; errors can no longer become a problem. @throws `too_many_streams` 503 */
  open(reply: FastifyReply): SseStream {
    this.requireRoom();
    reply.hijack();
    const stream = new SseStream(reply, this.#config);
    this.#open.add(stream);
    openStreams.inc();
    stream.over.addEventListener('abort', () => { this.#open.delete(stream); openStreams.dec(); }, { once: true });
    return stream;
  }

  /** Ends all: clients resume elsewhere. */
  close(): void {
    for (const stream of this.#open) stream.cut();
  }
}

export class SseStream {
  readonly #response: ServerResponse;
  readonly #bufferBytesMax: number;
  readonly #stallMs: number;
  readonly #over = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #passedId: string | undefined;

  constructor(reply: FastifyReply, { sseHeartbeatMs, sseBufferBytesMax }: SseConfig) {
    this.#response = reply.raw;
    streamed.add(reply.raw);
    this.#bufferBytesMax = sseBufferBytesMax;
    this.#stallMs = sseHeartbeatMs * stallBeats;
    this.#response.on('close', () => this.#end());
    // A client that went away in the middle of a write is an ordinary end.
    this.#response.on('error', () => this.#end());
    this.#response.writeHead(200, {
      ...reply.getHeaders() as Record<string, string>,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    this.#response.write(`retry: ${retryMs}\n\n`);
    this.#heartbeat = setInterval(() => this.#beat(), sseHeartbeatMs);
  }

  /** Aborted when the client is gone, was cut off, or the stream was ended. */
  get over(): AbortSignal { return this.#over.signal; }

  /** Sends what can't wait. @returns false: the buffer is full now: wait until it is `drained` */
  offer(message: SseMessage): boolean {
    if (this.over.aborted) return true;
    this.#passedId = undefined;
    this.#response.write(encode(message));
    return this.#response.writableLength <= this.#bufferBytesMax;
  }

  /** Sends, and waits while the client is behind: for what is read at the client's own pace. Cuts off one that stalls. */
  async send(message: SseMessage): Promise<void> {
    await this.drained();
    if (this.over.aborted) return;
    this.#passedId = undefined;
    this.#response.write(encode(message));
  }

  /** Nothing up to `id` is missing, though it wasn't sent: told with the next heartbeat, so a resume needn't read it again. */
  passed(id: string): void {
    this.#passedId = id;
  }

  /** The last words, then the end. */
  end(message?: SseMessage): void {
    if (this.over.aborted) return;
    if (message) this.#response.write(encode(message));
    this.#response.end();
    this.#end();
  }

  /** Ends it at once; the client sees a broken connection and resumes. */
  cut(): void {
    this.#response.destroy();
    this.#end();
  }

  /** Until the client has taken what it was sent. Cuts off one that stalls. */
  async drained(): Promise<void> {
    if (this.over.aborted || !this.#response.writableNeedDrain) return;
    const signal = AbortSignal.any([this.over, AbortSignal.timeout(this.#stallMs)]);
    await once(this.#response, 'drain', { signal }).catch(() => this.cut());
  }

  #beat(): void {
    const id = this.#passedId === undefined ? '' : `id: ${this.#passedId}\n`;
    // A client that is behind hears from us by what it has yet to read.
    if (!this.#response.writableNeedDrain) this.#response.write(`: heartbeat\n${id}\n`);
  }

  #end(): void {
    clearInterval(this.#heartbeat);
    this.#over.abort();
  }
}

/** JSON holds no line break, and ids and names are ours: nothing in a message can end it early. */
const encode = ({ id, event, data }: SseMessage): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
