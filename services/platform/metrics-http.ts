/** Counts and times requests, by route template: paths hold ids, templates don't. */
import type { FastifyInstance } from 'fastify';
import { requestDuration } from './metrics.ts';
import { isStream } from './sse.ts';

/** Every path that no route takes is one series. */
const unknownRoute = 'unknown';

export function measureRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    if (isStream(reply.raw)) return; // its length says nothing about how fast we are
    requestDuration.observe({ route: request.routeOptions.url ?? unknownRoute, method: request.method, status: String(reply.statusCode) }, reply.elapsedTime / 1_000);
  });
}
