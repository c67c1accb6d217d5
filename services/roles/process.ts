/** What every role's process has in common: config, log, database, readiness to its parent, a clean end on a signal. */
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig, type Config } from '../platform/config.ts';
import { openDb, type Db } from '../platform/db.ts';
import { openLog, type Log } from '../platform/log.ts';
import { requireSchema, SchemaTooNew, schemaTooNewExitCode, watchSchema } from '../platform/schema-check.ts';
import { measureProcess } from './measure-process.ts';

export interface Role {
  readonly config: Config;
  readonly db: Db;
  readonly log: Log;
  /** aborted: finish what is under way, then return */
  readonly signal: AbortSignal;
  /** the role serves, or stands by */
  readonly onReady?: () => void;
}

const lingerMs = 2_000;

/** Runs one role as this process until SIGTERM or SIGINT. What it throws ends the process with 1; a schema that is too new for it with 57. */
export async function runProcess(name: string, run: (role: Role) => Promise<void>): Promise<void> {
  const config = readConfig();
  const log = openLog(name, config.logLevel);
  const db = openDb(config, log, name);
  const endMeasuring = await measureProcess(name, { config, db, log });
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  process.once('disconnect', () => log.debug('parent is gone'));
  const fail = (error: unknown): void => {
    log.fatal({ err: error }, error instanceof SchemaTooNew ? error.message : 'role ended by an error');
    process.exitCode = error instanceof SchemaTooNew ? schemaTooNewExitCode : 1;
    stop.abort();
  };
  try {
    await requireSchema(db, log, stop.signal);
    void watchSchema(db, stop.signal, fail);
    await run({ config, db, log, signal: stop.signal, onReady: () => process.send?.({ ready: true }) });
  } catch (error) {
    fail(error);
  } finally {
    stop.abort();
    await endMeasuring();
    await db.destroy().catch((error: unknown) => log.warn({ err: error }, 'closing the database failed'));
    if (process.connected) process.disconnect();
    setTimeout(() => process.exit(), lingerMs).unref(); // whatever a failed start has left open keeps no process alive
  }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/**
 * Does `work` again and again with a pause, until the signal. What it throws is logged and ends that turn only: a
 * database that is away is an ordinary event (SL21).
 */
export async function repeat(name: string, pauseMs: number, { log, signal }: Pick<Role, 'log' | 'signal'>, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => log.warn({ error: error instanceof Error ? error.message : String(error) }, `${name} failed; trying again`));
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
