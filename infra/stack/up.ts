import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { StackError } from './error.ts';
import { withProgress } from '../setup/run.js';
import { createLayout } from './layout.ts';
import { serviceNames, type StackView } from './part.ts';
import { givenServices } from './ports.ts';
import { resolveProgram } from './program.ts';
import { showStack } from './show.ts';
import { Supervisor, type StackOptions } from './supervisor.ts';

type Report = { readonly view: StackView } | { readonly failed: { readonly message: string; readonly remedy: string } };

const launcherPollMs = 1_000;

/** Runs the stack until Ctrl-C, SIGTERM, SIGHUP or `muster down`. */
export async function upInForeground(options: StackOptions, asJson: boolean): Promise<void> {
  const supervisor = new Supervisor(options);
  const told = Promise.withResolvers<void>();
  const stop = (): void => { told.resolve(); void supervisor.stop(); };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  watchLauncher(stop);
  try {
    await withProgress('starting the stack', supervisor.start());
  } catch (error) {
    if (!process.send) throw error;
    await report({ failed: { message: error instanceof Error ? error.message : String(error), remedy: error instanceof StackError ? error.remedy : 'See the logs folder.' } });
    process.exitCode = 1;
    return;
  }
  if (process.send) await report({ view: supervisor.view() });
  else process.stdout.write(asJson ? `${JSON.stringify(supervisor.view(), null, 2)}\n` : `${showStack(supervisor.view())}\nCtrl-C stops everything.\n`);
  await told.promise;
  if (!asJson && !process.send) process.stdout.write('\nstopping …\n');
  await supervisor.stop();
}

/**
 * Starts the stack in a process of its own and returns when every part is ready.
 *
 * @param args  arguments of `muster up` without `--detach`
 */
export async function upDetached(options: StackOptions, args: readonly string[]): Promise<StackView> {
  // here, where the user sees its progress
  for (const name of serviceNames) if (!givenServices().has(name)) await resolveProgram(name);
  const log = openSync(path.join(createLayout(options.home).logs, 'supervisor.log'), 'a', 0o644);
  const { MUSTER_LAUNCHER_PID: _launcher, ...env } = process.env;
  const child = spawn(process.execPath, [process.argv[1] ?? '', ...args], {
    detached: true, stdio: ['ignore', log, log, 'ipc'], env: { ...env, MUSTER_HOME: path.resolve(options.home) },
  });
  closeSync(log);
  const interrupt = (): void => { child.kill('SIGTERM'); };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  const answer = await withProgress('starting the stack', new Promise<Report>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Report));
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ failed: { message: `the supervisor ended with ${code ?? signal}`, remedy: `Its log is ${path.join(options.home, 'logs', 'supervisor.log')}.` } }));
  }));
  if ('failed' in answer) throw new StackError(answer.failed.message, answer.failed.remedy);
  child.disconnect();
  child.unref();
  return answer.view;
}

const report = (message: Report): Promise<void> => new Promise((resolve) => {
  process.send?.(message, undefined, undefined, () => resolve());
});

/** The launcher waits for us on an older Node; when it was killed nobody would pass on a signal any more. */
function watchLauncher(stop: () => void): void {
  const launcher = Number(process.env['MUSTER_LAUNCHER_PID']);
  if (!launcher || process.ppid !== launcher) return;
  const timer = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(timer);
    stop();
  }, launcherPollMs);
  timer.unref();
}

