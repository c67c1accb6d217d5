/** Tells callers of a route that it will go: Deprecation (RFC 9745), Sunset (RFC 8594), and `deprecated` in the OpenAPI document. */
import type { FastifyInstance } from 'fastify';

export interface DeprecatedRoute {
  /** from then on nobody should begin to use it */
  readonly since: Date;
  /** from then on it may be gone */
  readonly sunset: Date;
  /** path of what takes its place */
  readonly successor?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig { deprecated?: DeprecatedRoute }
}

export function tellDeprecation(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.config?.deprecated && route.schema) route.schema = { ...route.schema, deprecated: true };
  });
  app.addHook('onRequest', async (request, reply) => {
    const deprecated = request.routeOptions.config.deprecated;
    if (!deprecated) return;
    reply.header('deprecation', `@${Math.floor(deprecated.since.getTime() / 1_000)}`);
    reply.header('sunset', deprecated.sunset.toUTCString());
    if (deprecated.successor !== undefined) reply.header('link', `<${deprecated.successor}>; rel="successor-version"`);
  });
}
