import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { embeddedPostgresDir, repairPostgresLinks } from '../setup/postgres-links.js';
import { fetchProgram, fetchedProgram, wheels } from '../setup/wheels.js';
import { StackError } from './error.ts';
import type { ServiceName } from './part.ts';
import { addressVariable } from './ports.ts';

/** The majors that Muster is tested with; a program on PATH counts only when it is of that major. */
export const pinned = {
  postgres: { major: 18, program: 'postgres' },
  temporal: { major: 1, program: wheels.temporal.program },
  nats: { major: 2, program: wheels.nats.program },
} as const;

export interface Program {
  readonly file: string;
  readonly version: string;
  readonly from: 'PATH' | 'package';
}

/** First dotted number of a `--version` answer: "postgres (PostgreSQL) 18.4", "nats-server: v2.15.1", "temporal version 1.9.1 (Server …)". */
export function parseVersion(text: string): string | undefined {
  return /\bv?(\d+(?:\.\d+)+|\d+(?=(?:beta|rc)\d|\b))/.exec(text.replace(/^\S*?(?=\s|:)/, ''))?.[1];
}

export const majorOf = (version: string): number => Number.parseInt(version, 10);

/** A program of the pinned major on PATH, or undefined. */
export function programOnPath(name: ServiceName, searchPath = process.env['PATH'] ?? ''): Program | undefined {
  for (const dir of searchPath.split(path.delimiter).filter(Boolean)) {
    const found = inspect(path.join(dir, pinned[name].program), 'PATH');
    if (found && majorOf(found.version) === pinned[name].major && (name !== 'postgres' || isExecutable(path.join(dir, 'initdb')))) return found;
  }
  return undefined;
}

/** The fetched program, or undefined where set-up or the first start still has to fetch it. */
export function fetched(name: ServiceName): Program | undefined {
  const dir = name === 'postgres' ? embeddedPostgresDir() : undefined;
  const file = name === 'postgres' ? dir && path.join(dir, 'native', 'bin', 'postgres') : fetchedProgram(name);
  return file === undefined ? undefined : inspect(file, 'package');
}

/** PATH at the pinned major first, then the package, which is fetched when it isn't there. */
export async function resolveProgram(name: ServiceName): Promise<Program> {
  const present = programOnPath(name);
  if (present) return present;
  if (name === 'postgres') repairPostgresLinks();
  else await fetchProgram(name);
  const program = fetched(name);
  if (program) return program;
  throw new StackError(`no ${pinned[name].program} of version ${pinned[name].major} on PATH, and the fetched one doesn't run on this machine`,
    `Install ${name} ${pinned[name].major} and put it on PATH, or give its address by ${addressVariable(name)}.`);
}

function inspect(file: string, from: Program['from']): Program | undefined {
  if (!isExecutable(file)) return undefined;
  try {
    const version = parseVersion(execFileSync(file, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] }));
    return version === undefined ? undefined : { file, version, from };
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
