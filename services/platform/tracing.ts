/**
 * Traces from a request to the activities that it leads to (OpenTelemetry), off by default. Only the API and activities
 * make spans: interceptors in workflows have broken replays (ST9). Between the two the trace stands in the job's row, so
 * that it outlives every process and queue in between.
 *
 * Without `startTracing` everything here is a no-op of `@opentelemetry/api`.
 */
import { context, isSpanContextValid, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags, type Context, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';

let isOn = false;
/** Whether spans go anywhere: what only serves them can be left out. */
export const isTracing = (): boolean => isOn;
export function setTracing(on: boolean): void { isOn = on; }

/** Fetched anew at each use: a tracer that was taken before the start would stay a no-op. */
export const tracer = (): Tracer => trace.getTracer('muster');

const traceParentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The `traceparent` (W3C) of the span under way; null where there is none, or where it is not recorded. */
export function currentTraceParent(): string | null {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) && (span.traceFlags & TraceFlags.SAMPLED) !== 0 ? `00-${span.traceId}-${span.spanId}-01` : null;
}

/** Context below the span that `traceParent` names; the root where it names none. Takes any text: it comes from outside. */
export function contextOf(traceParent: string | null | undefined): Context {
  const found = traceParentPattern.exec(traceParent ?? '');
  const [, traceId = '', spanId = '', flags = ''] = found ?? [];
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return found && isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;
}

/** Runs `work` in a span; what it throws is noted and thrown on. */
export async function inSpan<T>(name: string, parent: Context, attributes: Readonly<Record<string, string | number>>, work: () => Promise<T>): Promise<T> {
  const span = tracer().startSpan(name, { attributes }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function noteError(span: Span, error: unknown): void {
  span.recordException(error instanceof Error ? error : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}
