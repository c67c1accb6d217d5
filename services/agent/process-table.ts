/**
 * Who runs on this machine, read from /proc. Identity = pid + start time (+ boot id, kept beside it): a pid alone may
 * belong to another process tomorrow (design.md §3.2). Imported by the wrapper when a lease ends, so it imports
 * nothing of ours.
 */
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessIdentity { readonly pid: number; readonly startTicks: string }

export interface Marks { readonly job: string; readonly epoch: string; readonly rank: number }

interface Stat { readonly state: string; readonly parent: number; readonly group: number; readonly session: number; readonly startTicks: string }

/** Fields of /proc/<pid>/stat; the name in parentheses may itself hold spaces and parentheses. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '?', parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]), startTicks: fields[19] ?? '' };
}

function readStat(pid: number): Stat | undefined {
  const text = readProc(pid, 'stat');
  return text === undefined ? undefined : parseStat(text);
}

/** A zombie, or one that is being taken down, counts as gone: it holds no device and no file. */
const isGoneState = (state: string): boolean => state === 'Z' || state === 'X' || state === 'x';

export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat && !isGoneState(stat.state) ? { pid, startTicks: stat.startTicks } : undefined;
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTicks === identity.startTicks;
}

/**
 * Living processes of one member: its session and group, what descends from it, and whatever carries its marks in its
 * environment, wherever it detached to.
 *
 * @param leader  the process that the wrapper started, where known
 */
export function processesOf(marks: Marks, leader: ProcessIdentity | undefined): number[] {
  const pids = allPids();
  const stats = new Map(pids.map((pid) => [pid, readStat(pid)] as const));
  const found = new Set<number>();
  const isLeaderKnown = leader !== undefined && !isReused(leader, stats);
  for (const [pid, stat] of stats) {
    if (!stat || isGoneState(stat.state)) continue;
    if (isLeaderKnown && (stat.group === leader.pid || stat.session === leader.pid)) found.add(pid);
    else if (carries(pid, marks)) found.add(pid);
  }
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [pid, stat] of stats) if (stat && !isGoneState(stat.state) && found.has(stat.parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

/** The leader's number went to another process: then its group and session are not the member's. */
function isReused(leader: ProcessIdentity, stats: ReadonlyMap<number, Stat | undefined>): boolean {
  const now = stats.get(leader.pid);
  return now !== undefined && now.startTicks !== leader.startTicks;
}

function carries(pid: number, { job, epoch, rank }: Marks): boolean {
  const environment = readProc(pid, 'environ');
  if (environment === undefined || !environment.includes(job)) return false;
  const pairs = new Set(environment.split('\0'));
  return pairs.has(`MUSTER_JOB=${job}`) && pairs.has(`MUSTER_EPOCH=${epoch}`) && pairs.has(`MUSTER_RANK=${rank}`);
}

/** Living processes with `name=value` in the environment they were started with. */
export function processesWith(name: string, value: string): number[] {
  const pair = `${name}=${value}`;
  return allPids().filter((pid) => {
    const stat = readStat(pid);
    return stat !== undefined && !isGoneState(stat.state) && (readProc(pid, 'environ')?.split('\0').includes(pair) ?? false);
  });
}

/** @returns false where the process is gone; one that may not be signalled is still there */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Sends a signal once to every process of a member. @returns how many were alive */
export function signalMember(marks: Marks, leader: ProcessIdentity | undefined, name: NodeJS.Signals): number {
  const group = leader && isAlive(leader) ? leader.pid : undefined;
  const pids = processesOf(marks, leader);
  const outside = pids.filter((pid) => group === undefined || readStat(pid)?.group !== group);
  if (group !== undefined) signal(-group, name); // at once, so that nothing forks away between two signals
  for (const pid of outside) signal(pid, name);
  return pids.length;
}

function allPids(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
