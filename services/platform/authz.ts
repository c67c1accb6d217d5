/**
 * Who may do what, in one place: every route declares what it allows, start-up fails on one that doesn't (SL18), and one
 * hook compares it with the roles of the caller, before a byte of the body is read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accessOf, TeamScope, type Access } from './authz-scope.ts';
import type { Actor, Scope } from './authz-roles.ts';
import { problem } from './errors.ts';

export { holds, resources, type Actor, type Scope } from './authz-roles.ts';
export { TeamScope, type Access } from './authz-scope.ts';

/** `public`: no key needed. */
export type Allow = Scope | 'public';

declare module 'fastify' {
  interface FastifyContextConfig { allow?: Allow }
  interface FastifyRequest {
    actor: Actor;
    /** the teams that this request may touch: hand it to every operation on a tenant's object */
    access: Access;
  }
  interface FastifyInstance {
    /** What an open stream may still touch; undefined once its caller may nothing any more. */
    accessNow(request: FastifyRequest): Promise<Access | undefined>;
  }
}

/** Finds the actor of a presented key or token; undefined: none, or no longer valid. */
export type Authenticate = (token: string) => Promise<Actor | undefined>;

const nobody: Actor = Object.freeze({ id: '', name: 'nobody', scopes: Object.freeze([]), grants: Object.freeze([]) });
const nothing: Access = Object.freeze({ see: TeamScope.of([]), act: TeamScope.of([]) });

export function guardRoutes(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('actor', null as never); // fastify shares no object between requests
  app.decorateRequest('access', null as never);
  app.decorate('accessNow', async (request: FastifyRequest) => {
    const allow = request.routeOptions.config.allow;
    const actor = allow === undefined || allow === 'public' ? undefined : await authenticate(tokenOf(request));
    return actor && accessOf(actor, allow as Scope);
  });
  app.addHook('onReady', async () => {
    const open = app.routeInfos().filter((route) => route.allow === undefined);
    if (open.length > 0) throw new Error(`routes without a policy, set config.allow: ${open.map((route) => `${route.method} ${route.url}`).join(', ')}`);
  });
  app.addHook('onRequest', async (request) => {
    request.actor = nobody;
    request.access = nothing;
    const allow = request.routeOptions.config.allow;
    if (allow === undefined || allow === 'public') return; // undefined: the handler of unknown routes
    request.actor = (await authenticate(tokenOf(request))) ?? refuse();
    const access = accessOf(request.actor, allow);
    if (!access) throw problem('forbidden', { scope: allow });
    request.access = access;
  });
}

function refuse(): never {
  throw problem('unauthenticated');
}

function tokenOf(request: FastifyRequest): string {
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && rest.length === 0 ? token : refuse();
}
