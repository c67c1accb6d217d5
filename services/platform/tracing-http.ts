/** A span a request, below the caller's `traceparent` where it sends one. */
import { context, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { contextOf, tracer } from './tracing.ts';

export function traceRequests(app: FastifyInstance): void {
  const contexts = new WeakMap<object, Context>();
  app.addHook('onRequest', async (request) => {
    const parent = contextOf(request.headers['traceparent'] as string | undefined);
    const span = tracer().startSpan(`${request.method} ${request.routeOptions.url ?? 'unknown route'}`, {
      kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method, 'http.route': request.routeOptions.url ?? '', 'muster.request': request.id },
    }, parent);
    contexts.set(request, trace.setSpan(parent, span));
  });
  // Right before the handler: events of the socket, while the body was read, have left the context of the hook above.
  app.addHook('preHandler', (request, _reply, done) => context.with(contexts.get(request) ?? context.active(), done));
  app.addHook('onResponse', async (request, reply) => {
    const span = trace.getSpan(contexts.get(request) ?? context.active());
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  });
}
