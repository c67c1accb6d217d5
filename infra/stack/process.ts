import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StackError } from './error.ts';
import type { Layout } from './layout.ts';
import { cutLog } from './logs.ts';
import { recordOf, removePidFile, stopProcess, writePidFile, type PidRecord } from './pid-file.ts';

export interface ProcessSpec {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** user to run as, where it is another one */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly order: number;
  readonly stopSignal: NodeJS.Signals;
  readonly stopTimeoutMs: number;
  readonly readyTimeoutMs: number;
  /** a probe that is repeated until it doesn't throw, or 'message' for a role that tells by IPC */
  readonly ready: 'message' | (() => Promise<void>);
}

export interface Running {
  readonly record: PidRecord;
  /** how it ended: exit code, or the signal's name */
  readonly exited: Promise<number | NodeJS.Signals>;
  stop(): Promise<void>;
}

/** A role that has let go of us ends at once, and its exit code says more than its silence. */
const lastWordsMs = 500;
const probeEveryMs = 25;
const tailLines = 20; // an uncaught error of Node with its stack fits

/**
 * Starts a process in a session of its own, so that the terminal's Ctrl-C reaches only the supervisor, and waits
 * until it is ready. A role that lets go of its parent has ended its work: if its process stays, it is stopped.
 *
 * @throws StackError with the last lines of its log, when it ends or stays silent; nothing is left running then
 */
export async function startProcess(layout: Layout, spec: ProcessSpec): Promise<Running> {
  const logFile = path.join(layout.logs, `${spec.name}.log`);
  const { child, logStart } = spawnWithLog(spec, logFile);
  const exited = new Promise<number | NodeJS.Signals>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? 0)));
  const disconnected = spec.ready === 'message' ? new Promise<void>((resolve) => child.once('disconnect', resolve)) : new Promise<never>(() => undefined);
  const failedToSpawn = new Promise<never>((_, reject) => child.once('error', reject));
  const record = child.pid === undefined ? undefined : recordOf(child.pid, spec);
  if (!record) {
    await Promise.race([failedToSpawn, delay(100)]).catch((error: unknown) => { throw failure(spec, `can't start ${spec.program}: ${String(error)}`, logFile, logStart); });
    throw failure(spec, 'ended at once', logFile, logStart);
  }
  writePidFile(layout.run, pick(record));
  const running: Running = {
    record,
    exited: exited.finally(() => removePidFile(layout.run, spec.name, record)),
    stop: async () => { await stopProcess(record); await exited; },
  };
  const outcome = await Promise.race([
    isReady(spec, child, exited).then(() => 'ready' as const),
    exited.then((how) => `ended with ${how} before it was ready`),
    disconnected.then(() => delay(lastWordsMs, 'gave up before it was ready')),
    delay(spec.readyTimeoutMs, `not ready after ${spec.readyTimeoutMs / 1000} s`, { ref: false }),
  ]);
  if (outcome === 'ready') {
    void disconnected.then(() => delay(spec.stopTimeoutMs, undefined, { ref: false })).then(running.stop);
    return running;
  }
  await running.stop();
  throw failure(spec, outcome, logFile, logStart);
}

function spawnWithLog(spec: ProcessSpec, logFile: string): { child: ChildProcess; logStart: number } {
  cutLog(logFile);
  const log = openSync(logFile, 'a', 0o644);
  const logStart = statSync(logFile).size;
  try {
    const child = spawn(spec.program, spec.args, {
      env: spec.env, cwd: spec.cwd, ...spec.user, detached: true,
      stdio: spec.ready === 'message' ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    });
    return { child, logStart };
  } finally {
    closeSync(log);
  }
}

async function isReady(spec: ProcessSpec, child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (spec.ready === 'message') {
    await new Promise<void>((resolve) => child.on('message', (message) => { if (isReadyMessage(message)) resolve(); }));
    return;
  }
  let isOver = false;
  void exited.then(() => { isOver = true; });
  const until = performance.now() + spec.readyTimeoutMs;
  while (!isOver && performance.now() < until) {
    try {
      return await spec.ready();
    } catch {
      await delay(probeEveryMs);
    }
  }
  await new Promise<never>(() => undefined);
}

const isReadyMessage = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;

function failure(spec: ProcessSpec, what: string, logFile: string, logStart: number): StackError {
  const tail = readFileSync(logFile).subarray(logStart).toString('utf8').trimEnd().split('\n').slice(-tailLines);
  const lines = tail.join('').trim() === '' ? '' : `\n${tail.map((line) => `    ${line}`).join('\n')}`;
  return new StackError(`${spec.name}: ${what}${lines}`, `Its log is ${logFile}.`);
}

const pick = ({ name, pid, startTicks, bootId, order, stopSignal, stopTimeoutMs }: PidRecord): PidRecord =>
  ({ name, pid, startTicks, bootId, order, stopSignal, stopTimeoutMs });
