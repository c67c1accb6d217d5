/**
 * Who may do what, in one place: every route declares what it allows, start-up fails on one that doesn't (SL18), and one
 * hook compares it with the scopes of the key, before a byte of the body is read.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from './errors.ts';

export const resources = ['jobs', 'nodes', 'teams', 'events', 'logs', 'checkpoints', 'dead-letters', 'keys', 'overview'] as const;
export type Scope = `${(typeof resources)[number]}:${'read' | 'write'}`;

/** `public`: no key needed. */
export type Allow = Scope | 'public';

export interface Actor {
  /** id of the key */
  readonly id: string;
  readonly name: string;
  /** `*`, `<resource>:*` or a scope */
  readonly scopes: readonly string[];
}

declare module 'fastify' {
  interface FastifyContextConfig { allow?: Allow }
  interface FastifyRequest { actor: Actor }
}

/** Finds the actor of a presented key; undefined: none, or no longer valid. */
export type Authenticate = (token: string) => Promise<Actor | undefined>;

const nobody: Actor = Object.freeze({ id: '', name: 'nobody', scopes: Object.freeze([]) });

export function guardRoutes(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('actor', null as never); // fastify shares no object between requests
  app.addHook('onReady', async () => {
    const open = app.routeInfos().filter((route) => route.allow === undefined);
    if (open.length > 0) throw new Error(`routes without a policy, set config.allow: ${open.map((route) => `${route.method} ${route.url}`).join(', ')}`);
  });
  app.addHook('onRequest', async (request) => {
    request.actor = nobody;
    const allow = request.routeOptions.config.allow;
    if (allow === undefined || allow === 'public') return; // undefined: the handler of unknown routes
    request.actor = (await authenticate(tokenOf(request))) ?? refuse();
    if (!holds(request.actor.scopes, allow)) throw problem('forbidden', { scope: allow });
  });
}

function refuse(): never {
  throw problem('unauthenticated');
}

function tokenOf(request: FastifyRequest): string {
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && rest.length === 0 ? token : refuse();
}

export function holds(scopes: readonly string[], needed: Scope): boolean {
  const resource = needed.slice(0, needed.indexOf(':'));
  return scopes.some((scope) => scope === '*' || scope === needed || scope === `${resource}:*`);
}
