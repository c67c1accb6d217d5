import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StackError } from './error.ts';
import type { Layout } from './layout.ts';
import type { Program } from './program.ts';

export interface UnixUser { readonly name: string; readonly uid: number; readonly gid: number }

/** Where Postgres runs: as whom, from which programs, on which data folder. */
export interface PostgresPlace {
  readonly binDir: string;
  readonly dataDir: string;
  /** undefined: as the current user */
  readonly user: UnixUser | undefined;
  /** one line for the user, where the data lies elsewhere than expected */
  readonly notice: string | undefined;
}

const existingUsers = ['postgres', 'nobody'];
const movedParent = '/var/tmp';

/**
 * Postgres refuses to run as root; then it runs as a user that the machine already has. Where that user can't reach
 * the folder (a parent with mode 0700, such as /root or one made by mktemp), data and a copy of the programs go
 * below /var/tmp, and the notice says so. Nothing else on the host changes.
 */
export function placePostgres(layout: Layout, program: Program, passwd = readFileSync('/etc/passwd', 'utf8')): PostgresPlace {
  const binDir = path.dirname(program.file);
  const dataDir = path.join(layout.data, 'postgres');
  if (process.getuid?.() !== 0) return { binDir, dataDir, user: undefined, notice: undefined };

  const user = chooseUser(passwd);
  const canReach = [program.file, layout.data].every((file) => isReachable(file, user));
  if (canReach && !existsSync(movedDir(layout.home))) return { binDir, dataDir, user, notice: undefined };
  const moved = ensureRootOwned(movedDir(layout.home));
  writeFileSync(path.join(moved, 'home'), `${layout.home}\n`); // tells a reader of /var/tmp whose it is
  if (existsSync(dataDir)) moveData(dataDir, path.join(moved, 'data'), user);
  return {
    binDir: isReachable(program.file, user) ? binDir : copyPrograms(program, moved),
    dataDir: path.join(moved, 'data'),
    user,
    notice: `Postgres can't run as root, and its user (${user.name}) can't reach ${layout.home}: its data lies in ${moved}`,
  };
}

/** Folder of a moved Postgres; its name follows from the home, so the next start finds it. */
export function movedDir(home: string): string {
  return path.join(movedParent, `muster-${createHash('sha256').update(path.resolve(home)).digest('hex').slice(0, 16)}`);
}

export function chooseUser(passwd: string): UnixUser {
  const users = passwd.split('\n').map((line) => line.split(':'));
  for (const name of existingUsers) {
    const entry = users.find(([candidate]) => candidate === name);
    if (entry) return { name, uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new StackError(`Postgres can't run as root, and this machine has none of the users ${existingUsers.join(', ')}`,
    'Run Muster as a normal user, or give a Postgres by MUSTER_DATABASE_URL.');
}

/** Asks the kernel instead of computing modes: access lists and mount options count too. */
function isReachable(file: string, user: UnixUser): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', file], { uid: user.uid, gid: user.gid, cwd: '/' }).status === 0;
}

/** /var/tmp is open to all: a folder that somebody else put there under our name is refused. */
function ensureRootOwned(dir: string): string {
  try {
    mkdirSync(dir, { mode: 0o711 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const stat = lstatSync(dir);
  if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0) {
    throw new StackError(`${dir} exists and isn't ours`, 'Delete it, or set MUSTER_HOME to another folder.');
  }
  return dir;
}

function moveData(from: string, to: string, user: UnixUser): void {
  if (existsSync(to)) throw new StackError(`Postgres data lies in ${from} and in ${to}`, 'Delete the one that is not wanted.');
  const draft = `${to}.draft`;
  rmSync(draft, { recursive: true, force: true });
  cpSync(from, draft, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  chownTree(draft, user);
  renameSync(draft, to);
  rmSync(from, { recursive: true });
}

function copyPrograms(program: Program, moved: string): string {
  const root = path.dirname(path.dirname(program.file));
  const target = path.join(moved, `postgres-${program.version}`);
  if (!existsSync(target)) {
    const draft = `${target}.draft`;
    rmSync(draft, { recursive: true, force: true });
    cpSync(root, draft, { recursive: true, verbatimSymlinks: true });
    renameSync(draft, target);
  }
  return path.join(target, 'bin');
}

function chownTree(dir: string, user: UnixUser): void {
  const result = spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
  if (result.status !== 0) throw new Error(`can't give ${dir} to ${user.name}: ${String(result.stderr)}`);
}

/** Makes an empty folder that belongs to the user Postgres runs as. */
export function makeOwned(dir: string, user: UnixUser | undefined): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (user) chownSync(dir, user.uid, user.gid);
}
