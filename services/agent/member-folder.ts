/**
 * What an agent keeps of a member on disk: `members/<job>/<epoch>/<rank>/`. Every file is written once and whole, and
 * says one thing, so any instant of a crash leaves a state that a successor can read (P6–P8).
 *
 * `record.json` the start was decided (durable before the spawn) · `spawn.json` the wrapper's orders · `claim` taken by
 * the one process that may start it · `pid.json` it runs · `stop.json` a stop was ordered, `terminated` and SIGTERM sent · `ready` it said so ·
 * `exit.json` how it ended (by the wrapper) · `outcome.json` it is over and no process is left · `acknowledged` the
 * control plane knows · `stdout`, `stderr` its output · `logs.json` what was published of it.
 */
import { existsSync, readdirSync, rmSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemberKey, RefusalCode, ResumePoint } from '#services/fleet/model.ts';
import { claim, makeFoldersDurably, readWhole, writeDurably, writeWhole } from './durable-file.ts';
import type { Marks, ProcessIdentity } from './process-table.ts';

export interface StartRecord {
  readonly bootId: string;
  readonly worldSize: number;
  readonly devices: readonly number[];
  /** where rank 0 listens; 0 for the others */
  readonly port: number;
  readonly readiness: 'start' | 'signal';
  readonly exclusive: boolean;
  readonly resume: Pick<ResumePoint, 'checkpoint' | 'step' | 'dir'> | null;
  readonly controlPath: string;
  readonly logBytesMax: string;
}

export interface SpawnOrder {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly marks: Marks;
  /** for exclusive members: the file that the agent renews */
  readonly leaseFile: string | null;
}

export interface RunningProcess extends ProcessIdentity { readonly wrapper: ProcessIdentity }

export interface StopOrder {
  readonly reason: string;
  /** for people and programs */
  readonly deadlineAt: string;
  /** decides: no clock change moves it, and it holds across restarts of the agent */
  readonly deadlineMonotonicMs: number;
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly leaseEnded: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

export type Outcome =
  | { readonly state: 'exited'; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly state: 'gone' }
  | { readonly state: 'refused'; readonly code: RefusalCode; readonly detail: string; readonly checkpoint?: string };

const jobPattern = /^job_[0-9a-z]{26}$/;
const epochPattern = /^(0|[1-9][0-9]{0,18})$/;

/** Whether a key can be a folder: an answer with another one is not followed. */
export const isMemberKey = ({ job, epoch, rank }: MemberKey): boolean =>
  jobPattern.test(job) && epochPattern.test(epoch) && Number.isSafeInteger(rank) && rank >= 0 && rank <= 4_095;

export const keyText = ({ job, epoch, rank }: MemberKey): string => `${job}/${epoch}/${rank}`;

export class MemberFolder {
  readonly key: MemberKey;
  readonly path: string;
  readonly #root: string;

  constructor(root: string, { job, epoch, rank }: MemberKey) {
    this.#root = root;
    this.key = { job, epoch, rank }; // no more than that: it goes over the wire
    this.path = path.join(root, job, epoch, String(rank));
  }

  at(name: string): string { return path.join(this.path, name); }

  create(): void {
    makeFoldersDurably(this.#root, [this.key.job, this.key.epoch, String(this.key.rank)]);
  }

  record(): StartRecord | undefined { return readWhole(this.at('record.json')) as StartRecord | undefined; }
  running(): RunningProcess | undefined { return readWhole(this.at('pid.json')) as RunningProcess | undefined; }
  stop(): StopOrder | undefined { return readWhole(this.at('stop.json')) as StopOrder | undefined; }
  exit(): Exit | undefined { return readWhole(this.at('exit.json')) as Exit | undefined; }
  outcome(): Outcome | undefined { return readWhole(this.at('outcome.json')) as Outcome | undefined; }
  isReady(): boolean { return existsSync(this.at('ready')); }
  /** ms since 1970; undefined where it wasn't */
  acknowledgedAtMs(): number | undefined { return statSync(this.at('acknowledged'), { throwIfNoEntry: false })?.mtimeMs; }
  isAcknowledged(): boolean { return existsSync(this.at('acknowledged')); }

  /** P6: returns only when the decision to start is durable. */
  recordStart(record: StartRecord, spawn: SpawnOrder): void {
    writeWhole(this.at('spawn.json'), spawn);
    writeDurably(this.at('record.json'), record);
  }

  recordStop(stop: StopOrder): void { writeWhole(this.at('stop.json'), stop); }
  recordReady(): void { writeFileSync(this.at('ready'), ''); }

  /** P7, P8: kept until the control plane says that it has recorded it. */
  recordOutcome(outcome: Outcome): void {
    this.create();
    writeDurably(this.at('outcome.json'), outcome);
    rmSync(this.at('spawn.json'), { force: true });
  }

  recordAcknowledgement(): void { writeFileSync(this.at('acknowledged'), ''); }

  /** Takes the right to start away from a wrapper that hasn't begun. @returns false where one has */
  claimInstead(): boolean { return claim(this.at('claim')); }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    for (const parent of [path.dirname(this.path), path.dirname(path.dirname(this.path))]) {
      try {
        rmdirSync(parent);
      } catch {
        return; // other ranks or epochs still stand there
      }
    }
  }
}

/** Every member folder below `root`. Names that are not ours are passed over. */
export function listMemberFolders(root: string): MemberFolder[] {
  return listNames(root).flatMap((job) => listNames(path.join(root, job)).flatMap((epoch) =>
    listNames(path.join(root, job, epoch)).map((rank) => ({ job, epoch, rank: Number(rank) }))))
    .filter(isMemberKey).map((key) => new MemberFolder(root, key));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
