/** Every failure as application/problem+json (RFC 9457). */
import Type, { type TSchema } from 'typebox';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { sqlState } from './db.ts';
import { errorRegistry, Problem, problem, type ErrorCode } from './errors.ts';
import { fieldErrors, InvalidRequest } from './http-validation.ts';

export const problemType = 'application/problem+json';
export const typeOf = (code: ErrorCode): string => `urn:muster:problem:${code}`;

export const ProblemView = Type.Object({
  type: Type.String({ description: 'Stable URI of this kind of problem' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  instance: Type.String({ description: 'Id of the request, as in X-Request-Id and the log' }),
  code: Type.String({ description: 'Name from the registry of errors' }),
  retryable: Type.Boolean({ description: 'Whether the same request can succeed later' }),
  remedy: Type.String(),
  errors: Type.Array(Type.Object({ pointer: Type.String({ description: 'JSON pointer to the field' }), detail: Type.String() })),
  context: Type.Record(Type.String(), Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'] }), { description: 'Ids, limits and current values' }),
}, { $id: 'Problem' });

/** Response schemas of a route: what it may refuse with. 400, 401, 403, 408, 413, 415, 429, 500 and 503 are told for every route. */
export function problems<Status extends number>(...statuses: readonly Status[]): Record<Status, TSchema> {
  return Object.fromEntries(statuses.map((status) => [status, problemResponse(status)])) as Record<Status, TSchema>;
}

function problemResponse(status: number): TSchema {
  const codes = Object.entries(errorRegistry).filter(([, entry]) => entry.status === status).map(([code]) => code);
  return { description: `Problem; codes of this status: ${codes.join(', ')}`, content: { [problemType]: { schema: { $ref: 'Problem#' } } } } as unknown as TSchema;
}

export function problemBody(error: Problem, requestId: string): Record<string, unknown> {
  const { status, title, retryable, remedy } = errorRegistry[error.code];
  const context = Object.fromEntries(Object.entries(error.context).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]));
  const detail = error.errors.length > 0 ? error.errors.map((field) => field.detail).join('; ') : error.message;
  return { type: typeOf(error.code), title, status, detail, instance: requestId, code: error.code, retryable, remedy, errors: error.errors, context };
}

export async function sendProblem(request: FastifyRequest, reply: FastifyReply, error: Problem): Promise<void> {
  // A limit that knows when it ends has set its own.
  if ((error.status === 503 || error.status === 429) && !reply.hasHeader('retry-after')) reply.header('retry-after', '1');
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  // The body is a string: a route whose schema doesn't tell this status would otherwise serialise it as something else.
  await reply.code(error.status).type(problemType).serializer((body: unknown) => String(body)).send(JSON.stringify(problemBody(error, request.id)));
}

const partNames: Readonly<Record<string, string>> = { querystring: 'query parameter', params: 'path parameter', headers: 'header' };

const byFastifyCode: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
  FST_ERR_BAD_URL: 'route_not_found',
};

/** The problem behind any error. What nothing here knows is ours: `internal`, logged with its cause by the caller. */
export function toProblem(error: unknown, bodyBytesMax: number): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidRequest) {
    const part = (error as { validationContext?: string }).validationContext ?? 'body';
    return problem('invalid_request', {}, fieldErrors(error.failures, partNames[part] ?? ''));
  }
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return problem('body_too_large', { bytesMax: bodyBytesMax });
  const known = code === undefined ? undefined : byFastifyCode[code];
  if (known) return problem(known);
  if (unstorable.has(sqlState(error) ?? '')) return new Problem('invalid_request', 'a value can not be stored: it is out of range, or not text');
  if (isAway(error)) return problem('unavailable', { part: 'postgres' });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new Problem('invalid_request', (error as Error).message);
  return new Problem('internal', errorRegistry.internal.title);
}

/** What Postgres says of a parameter that no column could hold: numeric out of range, NUL or bytes that are no text. */
const unstorable: ReadonlySet<string> = new Set(['22003', '22021', '22P05']);

/** Connection lost or refused, server starting or stopping, too many connections, lock or statement time-out. */
const awayStates = /^(08...|57P0[123]|53300|55P03|57014|25P03)$/;
const awayCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'ENOENT']);
const awayMessage = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout/;

export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  if (state !== undefined) return awayStates.test(state);
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && awayCodes.has(code)) || awayMessage.test(error.message) || (error instanceof AggregateError && error.errors.some(isAway));
}
