/** `/metrics` of one process, on a small HTTP server of its own: it answers whatever becomes of the role's own port. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Log } from './log.ts';
import { startStandardMetrics } from './metrics.ts';
import { contentType, scrape } from './metrics-scrape.ts';
import type { MetricRole } from './metrics-roles.ts';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  readonly role: MetricRole | 'all';
  readonly host: string;
  /** 0: no server */
  readonly port: number;
}

/** A scraper that is slower than this is given up. */
const requestTimeoutMs = 10_000;
const connectionsMax = 16;

/** A port that is taken costs the metrics, not the role: that is logged as an error. @returns undefined without a server */
export async function serveMetrics({ role, host, port }: MetricsServerOptions, log: Log): Promise<MetricsServer | undefined> {
  if (port === 0) return undefined;
  startStandardMetrics();
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n');
      return;
    }
    scrape(role).then(
      (text) => response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text),
      (error: unknown) => {
        log.warn({ error: String(error) }, 'a scrape failed');
        response.writeHead(503, { 'content-type': 'text/plain' }).end('metrics can not be read now\n');
      },
    );
  });
  server.maxConnections = connectionsMax;
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    log.error({ port, error: error instanceof Error ? error.message : String(error) }, 'no metrics: their port can not be opened; MUSTER_METRICS_PORT names another');
    return undefined;
  }
  const url = `http://${host}:${(server.address() as AddressInfo).port}/metrics`;
  log.info({ url }, 'metrics are served');
  return { url, close: () => closeServer(server) };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
