/**
 * Conditional requests (RFC 9110 §13). The tag of an object is the version of its row: it changes with the specification
 * and the state, not with what is only observed of it (ages, progress, counters).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { problem } from './errors.ts';

export const ConditionalHeaders = Type.Object({
  'if-match': Type.Optional(Type.String({ maxLength: 256, description: 'ETag of the version that the change is meant for; another one is 412' })),
});
export const ReadHeaders = Type.Object({
  'if-none-match': Type.Optional(Type.String({ maxLength: 4_096, description: 'ETags that the caller has; 304 where one is still current' })),
});

/** An answer without a body; returned by a handler whose caller has this version. */
export const unchanged = (reply: FastifyReply): FastifyReply => reply.code(304).send();

/** For the response schemas of a GET. */
export const notModified = { 304: Type.Null({ description: 'Not modified' }) };

export const etagOf = (version: bigint | string): string => `"${version}"`;

/** Sets the ETag. @returns whether the caller has this version already: answer with `unchanged` then */
export function isUnchanged(request: FastifyRequest, reply: FastifyReply, version: bigint | string): boolean {
  const tag = etagOf(version);
  reply.header('etag', tag);
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  // Weak comparison, as GET has it: proxies weaken a tag when they compress.
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

/**
 * Version that `If-Match` asks for; undefined for none, and for `*`: any version.
 *
 * @throws `version_mismatch` 412, where the tag is none of ours: it can match no version
 */
export function expectedVersion(request: FastifyRequest): bigint | undefined {
  const tag = request.headers['if-match']?.trim();
  if (tag === undefined || tag === '*') return undefined;
  const version = /^"([0-9]{1,18})"$/.exec(tag)?.[1];
  if (version === undefined) throw problem('version_mismatch', { expected: JSON.stringify(tag.slice(0, 64)) });
  return BigInt(version);
}

/** The same for changes of a specification. @throws `precondition_required` 428 without If-Match */
export function requiredVersion(request: FastifyRequest): bigint | undefined {
  if (request.headers['if-match'] === undefined) throw problem('precondition_required');
  return expectedVersion(request);
}
