/** The SDK's log lines as lines of ours. */
import type { LogLevel, LogMetadata, Logger } from '@temporalio/common';
import type { Log } from './log.ts';

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

export function temporalLogger(log: Log): Logger {
  const write = (level: LogLevel, message: string, meta: LogMetadata = {}): void => {
    log[levels[level]](plain(meta), message);
  };
  return {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
}

/** Symbols key the SDK's own notes; bigints (timestamps of core) can't be JSON. */
function plain(meta: LogMetadata): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]));
}
