import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** What a later process needs to know to end this one properly. */
export interface PidRecord extends ProcessIdentity {
  readonly name: string;
  /** parts with a higher number stop first */
  readonly order: number;
  readonly stopSignal: NodeJS.Signals;
  readonly stopTimeoutMs: number;
}

const pollMs = 20;
const killTimeoutMs = 5_000;

export function writePidFile(runDir: string, record: PidRecord): void {
  const file = pidFile(runDir, record.name);
  writeFileSync(`${file}.draft`, `${JSON.stringify(record)}\n`);
  renameSync(`${file}.draft`, file);
}

/** @param of  only where the file still speaks of this process: a successor of the same name has written its own */
export function removePidFile(runDir: string, name: string, of?: ProcessIdentity): void {
  const record = of && readPidFile(runDir, name);
  if (of && record && (record.pid !== of.pid || record.startTicks !== of.startTicks)) return;
  rmSync(pidFile(runDir, name), { force: true });
}

export function readPidFile(runDir: string, name: string): PidRecord | undefined {
  try {
    return JSON.parse(readFileSync(pidFile(runDir, name), 'utf8')) as PidRecord;
  } catch {
    return undefined;
  }
}

/** Records of the processes that still run, those to stop first in front. */
export function livingParts(runDir: string): PidRecord[] {
  return listNames(runDir)
    .map((name) => readPidFile(runDir, name))
    .filter((record) => record !== undefined)
    .filter(isAlive)
    .sort((a, b) => b.order - a.order);
}

/** Asks a process to end, and kills its group when it doesn't in time. Does nothing to a process that only has the same number. */
export async function stopProcess(record: PidRecord): Promise<void> {
  signal(record, record.pid, record.stopSignal);
  if (await isGone(record, record.stopTimeoutMs)) return;
  signal(record, -record.pid, 'SIGKILL');
  signal(record, record.pid, 'SIGKILL');
  if (!(await isGone(record, killTimeoutMs))) throw new Error(`process ${record.pid} (${record.name}) doesn't end, even by SIGKILL`);
}

/** Waits until the process is gone; false when the time is over before. */
export async function isGone(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() > until) return false;
    await delay(pollMs);
  }
  return true;
}

export function recordOf(pid: number, rest: Omit<PidRecord, keyof ProcessIdentity>): PidRecord | undefined {
  const identity = identify(pid);
  return identity && { ...identity, ...rest };
}

function signal(identity: ProcessIdentity, target: number, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(target, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function listNames(runDir: string): string[] {
  try {
    return readdirSync(runDir).filter((file) => file.endsWith('.pid')).map((file) => file.slice(0, -'.pid'.length));
  } catch {
    return [];
  }
}

const pidFile = (runDir: string, name: string): string => path.join(runDir, `${name}.pid`);
