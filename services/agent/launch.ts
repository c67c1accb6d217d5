/** Starts a member: checks, then a durable record, then the wrapper (P6). */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkpointDir } from '#services/checkpoints/model.ts';
import type { MemberLaunch, RefusalCode } from '#services/fleet/model.ts';
import { findDamage } from './checkpoints.ts';
import { controlPath } from './control-path.ts';
import { memberEnvironment } from './environment.ts';
import type { MemberFolder, Outcome, SpawnOrder, StartRecord } from './member-folder.ts';
import { chooseFreePort } from './ports.ts';

const wrapperFile = fileURLToPath(new URL('./wrapper.js', import.meta.url));
/** marks a wrapper in its environment, so that a successor finds the one of a folder */
export const wrapperMark = 'MUSTER_MEMBER_FOLDER';

export interface Site {
  readonly bootId: string;
  readonly address: string;
  readonly deviceIndexes: ReadonlySet<number>;
  readonly checkpointRoot: string;
  readonly controlFolder: string;
  readonly leaseFile: string;
  readonly ports: { readonly portMin: number; readonly portMax: number };
}

export type Refusal = Extract<Outcome, { state: 'refused' }>;
export interface Plan {
  readonly record: StartRecord;
  readonly spawn: SpawnOrder;
  /** for the wrapper's environment: they stand in no file */
  readonly secrets: Readonly<Record<string, string>>;
}

/** marks in the environment of a wrapper what it hands on to its member */
const secretPrefix = 'MUSTER_SECRET_OF_';

const refuse = (code: RefusalCode, detail: string, checkpoint?: string): Refusal =>
  ({ state: 'refused', code, detail: detail.slice(0, 1_000), ...checkpoint === undefined ? {} : { checkpoint } });

export const isRefusal = (made: Plan | Refusal): made is Refusal => 'state' in made;

/**
 * Everything that a start needs, checked before anything is written: devices, folders, program, every shard of the
 * checkpoint. A member with a damaged checkpoint never starts; from which one it goes on is not the agent's choice.
 *
 * @param portsTaken  promised to other members
 */
export async function planStart(site: Site, folder: MemberFolder, launch: MemberLaunch, portsTaken: ReadonlySet<number>): Promise<Plan | Refusal> {
  const { key } = folder;
  if (launch.secretsMissing !== undefined) return refuse('spawn_failed', launch.secretsMissing);
  const missing = launch.devices.find((index) => !site.deviceIndexes.has(index));
  if (missing !== undefined) return refuse('device_missing', `no device ${missing} on this node`);
  const refusal = findStartObstacle(launch) ?? await findResumeObstacle(site, launch);
  if (refusal) return refusal;
  try {
    const prefix = path.join(site.checkpointRoot, checkpointDir(key.job, key.epoch));
    mkdirSync(prefix, { recursive: true });
    folder.create();
    mkdirSync(folder.at('work'), { recursive: true });
    const port = key.rank === 0 ? await chooseFreePort(site.ports, portsTaken) : 0;
    return plan(site, folder, launch, prefix, port);
  } catch (error) {
    return refuseFor(error);
  }
}

/** What a failed write or spawn means to the control plane. */
export function refuseFor(error: unknown): Refusal {
  const { code, message } = error as NodeJS.ErrnoException;
  return refuse(code === 'ENOSPC' || code === 'EDQUOT' ? 'disk_full' : 'spawn_failed', message);
}

function plan(site: Site, folder: MemberFolder, launch: MemberLaunch, checkpointPrefix: string, port: number): Plan {
  const { key } = folder;
  const control = controlPath(site.controlFolder, key);
  const env = memberEnvironment(key, launch, {
    master: launch.master ?? { address: site.address, port },
    checkpointDir: checkpointPrefix,
    controlPath: control,
    resumeDir: launch.resume && path.join(site.checkpointRoot, launch.resume.dir),
  });
  return {
    record: {
      bootId: site.bootId, worldSize: launch.worldSize, devices: launch.devices, port, readiness: launch.readiness,
      exclusive: launch.exclusive, controlPath: control, logBytesMax: launch.logBytesMax,
      resume: launch.resume && { checkpoint: launch.resume.checkpoint, step: launch.resume.step, dir: launch.resume.dir },
    },
    spawn: {
      argv: launch.argv, env, cwd: launch.workingDirectory ?? folder.at('work'),
      marks: { job: key.job, epoch: key.epoch, rank: key.rank },
      leaseFile: launch.exclusive ? site.leaseFile : null,
    },
    secrets: launch.secrets ?? {},
  };
}

/**
 * Starts the wrapper of a recorded member. It is its own session leader and holds nothing of the agent's.
 *
 * @returns a promise of what went wrong, should the wrapper itself not start
 */
export function spawnWrapper(folder: MemberFolder, secrets: Plan['secrets']): Promise<Error | undefined> {
  const handedOn = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`${secretPrefix}${name}`, value]));
  const child = spawn(process.execPath, [wrapperFile, folder.path], {
    cwd: '/', env: { PATH: process.env['PATH'] ?? '', [wrapperMark]: folder.path, ...handedOn }, detached: true, stdio: 'ignore',
  });
  child.unref();
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', resolve);
  });
}

function findStartObstacle({ workingDirectory, argv, env }: MemberLaunch): Refusal | undefined {
  if (workingDirectory !== null && !isFolder(workingDirectory)) return refuse('working_directory_missing', `${workingDirectory} is no folder on this node`);
  const program = argv[0] ?? '';
  const folders = program.includes('/') ? [workingDirectory ?? '/'] : (env['PATH'] ?? process.env['PATH'] ?? '').split(':');
  const isThere = folders.some((each) => isExecutable(path.resolve(each, program)));
  return isThere ? undefined : refuse('spawn_failed', `${program} is no program that this node can run`);
}

async function findResumeObstacle(site: Site, { resume }: MemberLaunch): Promise<Refusal | undefined> {
  const damage = resume && await findDamage(site.checkpointRoot, resume);
  return resume && damage ? refuse('checkpoint_unreadable', damage, resume.checkpoint) : undefined;
}

const isFolder = (name: string): boolean => existsSync(name) && statSync(name).isDirectory();

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

