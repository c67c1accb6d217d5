import path from 'node:path';
import { withLock } from '../setup/lock.js';
import { endParts } from './end-parts.ts';
import { StackError } from './error.ts';
import { startGuard, supervisor } from './guard.ts';
import type { Layout } from './layout.ts';
import { readPidFile, recordOf, removePidFile, writePidFile } from './pid-file.ts';
import { isAlive } from './process-identity.ts';

const stopTimeoutMs = 60_000;

export interface Claim {
  /** parts that an owner left running when it was killed, ended now */
  readonly leftovers: readonly string[];
  /** ends all parts and gives the home free */
  release(): Promise<void>;
}

/**
 * Makes this process the only owner of a home. What an earlier owner left running is ended first; a guard ends
 * everything should this process be killed.
 *
 * @throws StackError when another living process owns the home
 */
export async function claimHome(layout: Layout): Promise<Claim> {
  await withLock(path.join(layout.run, 'claim.lock'), async () => {
    const owner = readPidFile(layout.run, supervisor);
    if (owner && isAlive(owner)) {
      throw new StackError(`a stack already runs in ${layout.home} (process ${owner.pid})`, 'Stop it with `muster down`, or set MUSTER_HOME to another folder.');
    }
    const record = recordOf(process.pid, { name: supervisor, order: 0, stopSignal: 'SIGTERM', stopTimeoutMs });
    if (record) writePidFile(layout.run, record);
  });
  const isOwner = (name: string): boolean => name === supervisor;
  const leftovers = await endParts(layout, isOwner);
  const dismissGuard = startGuard(layout.home);
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    await endParts(layout, isOwner);
    removePidFile(layout.run, supervisor);
    dismissGuard();
  };
  return { leftovers, release: () => (released ??= release()) };
}
