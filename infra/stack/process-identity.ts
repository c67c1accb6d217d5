import { readFileSync, readdirSync } from 'node:fs';

/**
 * Who a process is: its number alone may belong to another process tomorrow, so the start time (clock ticks since
 * boot) and the boot go with it (design.md §3.2).
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: string;
  readonly bootId: string;
}

interface Stat { readonly state: string; readonly parent: number; readonly group: number; readonly startTicks: string }

/** Identity of a living process, or undefined; a zombie counts as gone. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat && stat.state !== 'Z' ? { pid, startTicks: stat.startTicks, bootId: bootId() } : undefined;
}

export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now !== undefined && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** Fields of /proc/<pid>/stat; the name in parentheses may itself hold spaces and parentheses. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '?', parent: Number(fields[1]), group: Number(fields[2]), startTicks: fields[19] ?? '' };
}

export function readStat(pid: number): Stat | undefined {
  const text = readProc(pid, 'stat');
  return text === undefined ? undefined : parseStat(text);
}

/** Arguments of a process as one line, or undefined when it is gone or not ours to read. */
export function commandLine(pid: number): string | undefined {
  return readProc(pid, 'cmdline')?.split('\0').filter(Boolean).join(' ') || readProc(pid, 'comm')?.trim();
}

/** Environment of a process, or an empty one when it is gone or not ours to read. */
export function environmentOf(pid: number): ReadonlyMap<string, string> {
  const pairs = (readProc(pid, 'environ') ?? '').split('\0').filter((pair) => pair.includes('='));
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

export function allPids(): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
}

let knownBootId: string | undefined;
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBootId;
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
