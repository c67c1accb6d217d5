/**
 * Advances one member by what is on disk and in the process table. Level-triggered: it may be called at any time and
 * any number of times, by the agent that started the member or by a successor.
 */
import type { Member } from './member.ts';
import type { Exit, Outcome } from './member-folder.ts';
import { refuseFor, wrapperMark, type Site } from './launch.ts';
import { isAlive, processesOf, processesWith, signal, signalMember } from './process-table.ts';
import { enforceStop, isStopDue } from './stop.ts';

/** A wrapper that this agent has just started needs no search of the process table. */
const wrapperStartMs = 2_000;

export type Progress = 'unchanged' | 'changed' | 'over';

/** @returns `over` once, when the outcome was recorded; `changed` when the control plane should hear of it */
export function supervise(member: Member, site: Pick<Site, 'bootId'>): Progress {
  if (!member.record || member.outcome) return 'unchanged';
  const exit = member.folder.exit(); // before the process: where an exit stands, its process does too
  const isNew = learnProcess(member, site);
  const end = exit ? endOf(exit) : hasLostWrapper(member, site) ? { state: 'gone' as const } : undefined;
  if (!end) {
    enforceStop(member);
    return isNew ? 'changed' : 'unchanged';
  }
  if (member.calls.size > 0 || hasProcesses(member, site, exit !== undefined)) return isNew ? 'changed' : 'unchanged';
  member.outcome = end;
  member.folder.recordOutcome(end);
  return 'over';
}

function learnProcess(member: Member, { bootId }: Pick<Site, 'bootId'>): boolean {
  if (member.process || member.record?.bootId !== bootId) return false;
  member.process = member.folder.running();
  return member.process !== undefined;
}

function endOf({ error, exitCode, signal }: Exit): Outcome {
  return error ? refuseFor(Object.assign(new Error(error.message), { code: error.code })) : { state: 'exited', exitCode, signal };
}

/** No exit file will come: the wrapper is dead, or it never began and now can't (P6). */
function hasLostWrapper(member: Member, site: Pick<Site, 'bootId'>): boolean {
  const { folder, record, process, spawnedMs } = member;
  if (record?.bootId !== site.bootId) return isOfOtherBoot(member);
  if (process) return !isAlive(process.wrapper) && folder.exit() === undefined;
  if (spawnedMs !== undefined && performance.now() - spawnedMs < wrapperStartMs) return false;
  if (findWrapper(member)) return false;
  if (folder.claimInstead()) return true;
  // Someone has claimed the start. It may have done so since the look into the process table, so that is looked at again.
  return !findWrapper(member) && folder.running() === undefined && folder.exit() === undefined;
}

/**
 * A new boot leaves no process (P10). Where the boot id is a virtual node's, some do live on: the wrapper goes first,
 * or it would record our kill as the member's own exit.
 */
function isOfOtherBoot(member: Member): boolean {
  for (const pid of wrappersOf(member)) signal(pid, 'SIGKILL');
  return member.folder.exit() === undefined;
}

const wrappersOf = ({ folder }: Member): number[] => processesWith(wrapperMark, folder.path);
const findWrapper = (member: Member): boolean => wrappersOf(member).length > 0;

/**
 * Whether anything of an ended member still runs: what it forked, or itself where its wrapper died. A stop leaves them
 * their time, for the last save may be done by a child; otherwise they are killed now, so that devices are free on
 * proof only (law 4).
 */
function hasProcesses(member: Member, site: Pick<Site, 'bootId'>, hasExit: boolean): boolean {
  const leader = member.record?.bootId === site.bootId ? member.process : undefined;
  const mayFinish = hasExit && member.stop !== undefined && !isStopDue(member);
  return (mayFinish ? processesOf(member.key, leader).length : signalMember(member.key, leader, 'SIGKILL')) > 0;
}
