import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allPids, environmentOf, identify, isAlive, readStat, type ProcessIdentity } from './process-identity.ts';

interface Member extends ProcessIdentity { readonly group: number }

const graceMs = 2_000;
const pollMs = 25;

/**
 * Ends the job processes of this home: agents leave them alone when they stop, a stack that goes down must not.
 *
 * The wrapper (the oldest of each job process) is killed before the others get SIGTERM: otherwise it would record
 * the exit of a program that saves and ends with 0, and an unfinished job would count as succeeded.
 *
 * @returns number of processes ended
 */
export async function endMembers(home: string): Promise<number> {
  const found = membersOf(home);
  const wrappers = found.filter((member) => found.some((other) => readStat(other.pid)?.parent === member.pid));
  for (const wrapper of wrappers) kill(wrapper, wrapper.pid, 'SIGKILL');
  for (const member of found) kill(member, member.pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (found.some(isAlive) && performance.now() < until) await delay(pollMs);
  for (let left = membersOf(home); left.length > 0; left = membersOf(home)) {
    for (const member of left) kill(member, member.pid, 'SIGKILL');
    await delay(pollMs);
  }
  return found.length;
}

/** Processes whose environment names a job and a control socket or checkpoint folder of this home, oldest first. */
export function membersOf(home: string): Member[] {
  const inside = `${path.resolve(home)}${path.sep}`;
  return allPids().flatMap((pid) => {
    const env = environmentOf(pid);
    if (!env.has('MUSTER_JOB')) return [];
    const isOurs = [env.get('MUSTER_CONTROL'), env.get('MUSTER_CHECKPOINT_DIR')].some((file) => file?.startsWith(inside));
    const identity = isOurs ? identify(pid) : undefined;
    return identity ? [{ ...identity, group: readStat(pid)?.group ?? pid }] : [];
  }).sort((a, b) => Number(a.startTicks) - Number(b.startTicks) || a.pid - b.pid);
}

function kill(identity: ProcessIdentity, target: number, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(target, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
