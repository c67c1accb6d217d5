/** The HTTP server of the API: everything that is the same for every route. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance, type RawServerDefault, type RouteOptions } from 'fastify';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Type, { type Static, type TSchema } from 'typebox';
import { guardRoutes, type Actor, type Allow, type Authenticate } from './authz.ts';
import type { Config } from './config.ts';
import { problem, type Problem } from './errors.ts';
import { requireIdempotencyKeys } from './idempotency.ts';
import { newId } from './ids.ts';
import type { Log } from './log.ts';
import { tellDeprecation } from './deprecation.ts';
import { readJsonBodies } from './http-body.ts';
import { boundConnections, limitRates, serverOptions, type LimitConfig } from './http-limits.ts';
import { problemBody, problems, problemType, ProblemView, sendProblem, toProblem } from './http-problems.ts';
import { validatorFor } from './http-validation.ts';
import { measureRequests } from './metrics-http.ts';
import { traceRequests } from './tracing-http.ts';

export { problems } from './http-problems.ts';

/** An instance with typed schemas: what a room's `…Routes(app, deps)` takes. */
export type Api = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

export interface RouteInfo { readonly method: string; readonly url: string; readonly pattern: RegExp; readonly allow: Allow | undefined }

declare module 'fastify' {
  interface FastifyInstance {
    /** all routes with what they allow, for the check at start and the test that walks them */
    routeInfos(): readonly RouteInfo[];
  }
}

export interface HttpOptions {
  readonly config: Pick<Config, 'bodyBytesMax' | 'idempotencyKeyRequired'> & LimitConfig;
  readonly log: Log;
  readonly authenticate: Authenticate;
}

const docsPrefix = '/docs';
const requestIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;

const commonStatuses = [400, 401, 403, 408, 413, 415, 429, 500, 503] as const;

/** @returns the instance; `app.register` the routes, then `ready` */
export async function createHttp({ config, log, authenticate }: HttpOptions): Promise<Api> {
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.bodyBytesMax,
    requestTimeout: config.requestMs,
    keepAliveTimeout: config.keepAliveMs,
    http: serverOptions(config),
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdPattern.test(given) ? given : newId('req');
    },
    routerOptions: { maxParamLength: 512 },
    schemaController: { compilersFactory: { buildValidator: validatorFor as never } },
    frameworkErrors: (error, request, reply) => void sendProblem(request as never, reply as never, toProblem(error, config.bodyBytesMax)),
    clientErrorHandler: refuseBrokenHttp,
  }).withTypeProvider<TypeBoxTypeProvider>();

  boundConnections(app, config);
  endConnectionsAtClose(app);
  readJsonBodies(app);
  answerProblems(app, config.bodyBytesMax);
  collectRoutes(app);
  app.setNotFoundHandler((request) => {
    const allowed = app.routeInfos().filter((route) => route.pattern.test(pathOf(request.url))).map((route) => route.method);
    if (allowed.length === 0) throw problem('route_not_found', { method: request.method, path: pathOf(request.url).slice(0, 200) });
    throw problem('method_not_allowed', { method: request.method, allowed: [...new Set(allowed)].join(' ') });
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY' });
  });
  app.addHook('onResponse', async (request, reply) => {
    const facts = { requestId: request.id, method: request.method, route: request.routeOptions.url, status: reply.statusCode, elapsedMs: Math.round(reply.elapsedTime), actor: (request.actor as Actor | null)?.id };
    if (request.method === 'GET') log.debug(facts, 'answered');
    else log.info(facts, 'answered');
  });
  measureRequests(app);
  traceRequests(app);
  guardRoutes(app, authenticate);
  await limitRates(app, config);
  if (config.idempotencyKeyRequired) requireIdempotencyKeys(app);
  tellDeprecation(app);
  app.addSchema(ProblemView);
  await describe(app);
  return app;
}

/** Node's closeAllConnections passes by a connection that has not sent a request yet, as clients open ahead: the close would wait for it. */
function endConnectionsAtClose(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  });
}

function collectRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route: RouteOptions) => { routes.push(route); });
  app.decorate('routeInfos', () => routes.flatMap((route) => [route.method].flat().map((method) => (
    { method, url: literal(route.url), pattern: patternOf(literal(route.url)), allow: route.config?.allow }))));
}

/** A double colon of a route is a colon of its path. */
const literal = (url: string): string => url.replaceAll('::', ':');

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll(/(?<=\/):[A-Za-z]+/g, '[^/]+').replaceAll('*', '.*')}$`);

const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;

function answerProblems(app: FastifyInstance, bodyBytesMax: number): void {
  app.setErrorHandler(async (error, request, reply) => {
    const found = toProblem(error, request.routeOptions.bodyLimit ?? bodyBytesMax);
    if (found.code === 'internal') request.log.error({ requestId: request.id, err: error }, 'request failed');
    else if (found.code === 'unavailable') request.log.warn({ requestId: request.id, error: (error as Error).message }, 'request refused: a part is away');
    if (found.code === 'method_not_allowed') reply.header('allow', String(found.context['allowed']).replaceAll(' ', ', '));
    await sendProblem(request, reply, found);
  });
}

/** Bytes that are not HTTP never reach a route: they get the same kind of answer and the connection ends. */
function refuseBrokenHttp(this: FastifyInstance, error: Error & { code?: string }, socket: { writable: boolean; end(text: string): void; destroy(): void }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
  const found: Problem = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? problem('request_timeout') : problem('invalid_request', { http: error.code ?? 'malformed' });
  const body = JSON.stringify(problemBody(found, newId('req')));
  socket.end(`HTTP/1.1 ${found.status} ${STATUS_CODES[found.status]}\r\ncontent-type: ${problemType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}

async function describe(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || !route.schema) return;
    const told = (route.schema.response ?? {}) as Record<string, unknown>;
    route.schema = { ...route.schema, security: [{ key: [] }], response: { ...problems(...commonStatuses), ...told } };
  });
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Muster', version: '1', description: 'Admin API of a control plane for GPU fleets. Failures are application/problem+json (RFC 9457); money, bytes, epochs and versions are decimal strings.' },
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer mk_<id>.<secret>`' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
  });
  await app.register(async (pages) => {
    pages.addHook('onRoute', (route) => { route.config = { ...route.config, allow: 'public' }; });
    await pages.register(swaggerUi, { routePrefix: docsPrefix });
    pages.get('/openapi.json', { schema: { hide: true }, config: { allow: 'public' } }, async () => app.swagger());
  });
}

/** A named schema, which the OpenAPI document shows once under its $id; register it with `app.addSchema`. */
export const refTo = <Schema extends TSchema>(schema: Schema) => Type.Unsafe<Static<Schema>>({ $ref: `${(schema as { $id?: string }).$id}#` });
