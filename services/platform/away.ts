/** Whether an error says that a part (Postgres, NATS, Temporal) is away for now: then waiting helps, and nothing is poison. */
import { sqlState } from './db.ts';

/** Connection lost or refused, server starting or stopping, no room, rolled back by contention, lock or statement time-out. */
const awayStates = /^(08...|53...|57P0[123]|57014|55P03|25P03|40001|40P01|58...)$/;
const awayCodes: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN', 'EHOSTUNREACH']);
/** gRPC: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, UNAVAILABLE. */
const awayGrpcCodes: ReadonlySet<number> = new Set([1, 4, 8, 10, 14]);
const awayMessage = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|NATS is away/;
/** Errors wrap each other; a chain longer than this is a loop. */
const depthMax = 5;

export function isAway(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > depthMax) return false;
  const state = sqlState(error);
  if (state !== undefined) return awayStates.test(state);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (code === 'unavailable' || awayCodes.has(code))) return true;
  if (typeof code === 'number' && awayGrpcCodes.has(code)) return true;
  if (awayMessage.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some((inner) => isAway(inner, depth + 1))) return true;
  return isAway(error.cause, depth + 1);
}
