/** What one client can take: connections, time for a request, requests a second. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { ServerOptions } from 'node:http';
import type { Config } from './config.ts';
import { problem } from './errors.ts';

export type LimitConfig = Pick<Config, 'requestsPerSecondMax' | 'connectionsMax' | 'requestHeadMs' | 'requestMs' | 'keepAliveMs'>;

/** Long enough for a burst, short enough that Retry-After is no punishment. */
const windowSeconds = 10;
/** Counters of callers that one process remembers; who falls out begins anew. */
const callersMax = 10_000;

/** Node looks for slow clients at this pace only; its own 30 s would make a limit of 10 s one of 40. */
export const serverOptions = ({ requestHeadMs }: LimitConfig): ServerOptions => ({
  headersTimeout: requestHeadMs, connectionsCheckingInterval: Math.min(1_000, Math.ceil(requestHeadMs / 2)),
});

export function boundConnections(app: FastifyInstance, { connectionsMax }: LimitConfig): void {
  app.server.maxConnections = connectionsMax;
}

/**
 * Counts the requests of each caller over ten seconds; beyond the limit 429 with the seconds until the window ends.
 * Answers carry RateLimit-Limit, -Remaining and -Reset. Public routes are not counted: probes must get through.
 */
export async function limitRates(app: FastifyInstance, { requestsPerSecondMax }: LimitConfig): Promise<void> {
  const max = requestsPerSecondMax * windowSeconds;
  await app.register(rateLimit, {
    max, timeWindow: windowSeconds * 1_000, cache: callersMax, enableDraftSpec: true,
    keyGenerator: (request) => request.actor.id,
    allowList: (request) => request.routeOptions.config.allow === undefined || request.routeOptions.config.allow === 'public',
    errorResponseBuilder: (_request, { ttl }) => problem('rate_limited', { limit: max, windowSeconds, retryAfterSeconds: Math.ceil(ttl / 1_000) }),
  });
}
