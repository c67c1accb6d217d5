import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allPids, environmentOf, identify, isAlive, readStat, type ProcessIdentity } from './process-identity.ts';

export interface MemberProcess extends ProcessIdentity { readonly kind: 'wrapper' | 'member' }

const graceMs = 2_000;
const pollMs = 25;

/**
 * Ends the job processes of this home: agents leave them alone when they stop, a stack that goes down must not.
 *
 * Wrappers are killed before their members get SIGTERM: otherwise one would record the exit of a program that saves
 * and ends with 0, and an unfinished job would count as succeeded.
 *
 * @returns number of job processes ended, wrappers not counted
 */
export async function endMembers(home: string): Promise<number> {
  const found = memberProcesses(home);
  for (const wrapper of found.filter(({ kind }) => kind === 'wrapper')) kill(wrapper, 'SIGKILL');
  const members = found.filter(({ kind }) => kind === 'member');
  for (const member of members) kill(member, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (members.some(isAlive) && performance.now() < until) await delay(pollMs);
  for (let left = [...members.filter(isAlive), ...memberProcesses(home)]; left.length > 0; left = memberProcesses(home)) {
    for (const member of left) kill(member, 'SIGKILL');
    await delay(pollMs);
  }
  return members.length;
}

/**
 * Wrappers are known by their member folder, members by job and control socket or checkpoint folder, all of them in
 * this home; a child of a wrapper counts whatever its environment says.
 */
export function memberProcesses(home: string): MemberProcess[] {
  const inside = `${path.resolve(home)}${path.sep}`;
  const pids = allPids().map((pid) => ({ pid, env: environmentOf(pid) }));
  const isInside = (file: string | undefined): boolean => file?.startsWith(inside) ?? false;
  const wrappers = new Set(pids.filter(({ env }) => isInside(env.get('MUSTER_MEMBER_FOLDER'))).map(({ pid }) => pid));
  return pids.flatMap(({ pid, env }) => {
    const isMember = wrappers.has(readStat(pid)?.parent ?? 0)
      || (env.has('MUSTER_JOB') && (isInside(env.get('MUSTER_CONTROL')) || isInside(env.get('MUSTER_CHECKPOINT_DIR'))));
    const identity = isMember || wrappers.has(pid) ? identify(pid) : undefined;
    return identity ? [{ ...identity, kind: wrappers.has(pid) ? 'wrapper' as const : 'member' as const }] : [];
  });
}

function kill(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
