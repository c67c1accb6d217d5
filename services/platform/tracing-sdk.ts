/** Turns tracing on. The SDK is loaded only then: it is of no use to a process that makes no spans. */
import type { SpanProcessor } from '@opentelemetry/sdk-trace';
import { context, trace } from '@opentelemetry/api';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { setTracing } from './tracing.ts';

export interface Tracing {
  /** Sends what is left, bounded. */
  close(): Promise<void>;
}

/** The end of a process doesn't wait longer for a collector. */
const closeTimeoutMs = 2_000;

/** @returns undefined, when no endpoint is configured */
export async function startTracing(config: Pick<Config, 'otlpEndpoint'>, log: Log, service: string): Promise<Tracing | undefined> {
  if (config.otlpEndpoint === '') return undefined;
  const [{ BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([import('@opentelemetry/sdk-trace'), import('@opentelemetry/exporter-trace-otlp-http')]);
  const exporter = new OTLPTraceExporter({ url: `${config.otlpEndpoint.replace(/\/+$/, '')}/v1/traces` });
  const tracing = await traceTo(new BatchSpanProcessor({ exporter }), service);
  log.info({ endpoint: config.otlpEndpoint }, 'traces are exported');
  return tracing;
}

/** @param processor  where ended spans go */
export async function traceTo(processor: SpanProcessor, service: string): Promise<Tracing> {
  const [{ TracerProvider }, { AsyncLocalStorageContextManager }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-trace'), import('@opentelemetry/context-async-hooks'), import('@opentelemetry/resources'),
  ]);
  const provider = new TracerProvider({ resource: resourceFromAttributes({ 'service.name': `muster-${service}` }), spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  setTracing(true);
  return {
    close: async () => {
      setTracing(false);
      trace.disable();
      context.disable();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => { timer = setTimeout(resolve, closeTimeoutMs); });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}
