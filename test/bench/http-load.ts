/**
 * A load of one kind of request over keep-alive connections, as a process of its own: `node http-load.ts` gets its order
 * as a message and answers with what it measured. Plain sockets: a full client would take more of the processor than
 * the server under test.
 */
import { connect, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';

export interface LoadOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly method: 'GET' | 'POST';
  /** of each connection its own, in turn */
  readonly paths: readonly string[];
  readonly body?: string;
  /** pause between an answer and the next request of a connection */
  readonly pauseMs?: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** of each request, in its order */
  readonly latenciesMs: readonly number[];
}

async function load(order: LoadOrder): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + order.seconds * 1_000;
  await Promise.all(Array.from({ length: order.connections }, (_, index) => talk(order, order.paths[index % order.paths.length] ?? '/', until, (status, ms) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(ms);
  })));
  return { requests: latenciesMs.length, seconds: (performance.now() - startedAt) / 1_000, statuses, latenciesMs };
}

/** One connection: a request, its answer, the next. A POST has a new Idempotency-Key each time. */
function talk({ port, key, method, body, pauseMs = 0 }: LoadOrder, path: string, until: number, note: (status: string, ms: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
      + (body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`);
    let [sentAt, awaited, status] = [0, -1, ''];
    let chunks: Buffer[] = [];
    let bytes = 0;
    const ask = (): void => {
      sentAt = performance.now();
      socket.write(`${head}${method === 'POST' ? `idempotency-key: ${randomUUID()}\r\n` : ''}\r\n${body ?? ''}`);
    };
    socket.setNoDelay(true).on('connect', ask).on('error', reject).on('close', () => resolve());
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (awaited < 0) {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        if (end < 0) return;
        const text = all.toString('latin1', 0, end).toLowerCase();
        awaited = end + 4 + Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0);
        status = text.slice(9, 12);
      }
      if (bytes < awaited) return;
      note(status, performance.now() - sentAt);
      [chunks, bytes, awaited] = [[], 0, -1];
      if (performance.now() >= until) socket.end();
      else if (pauseMs > 0) setTimeout(ask, pauseMs);
      else ask();
    });
  });
}

if (import.meta.main) {
  process.once('message', (order: LoadOrder) => {
    void load(order).then((result) => process.send?.(result, undefined, undefined, () => process.disconnect()));
  });
}
