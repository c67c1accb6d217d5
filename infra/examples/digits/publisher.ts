import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MusterCheckpoint, Refused, Unreachable, writeShard } from '../../clients/node/muster-checkpoint.ts';
import { exits, Exit } from './exits.ts';
import type { Options } from './options.ts';

export type StopListener = (reason: string, deadlineAtMs: number) => void;

export interface Commit {
  step: number;
  layout: object;
  dataPosition: object;
}

/** Where checkpoints go: to Muster, or, without it, to a local folder. */
export interface Publisher {
  /** Shards are written below it. */
  readonly dir: string;
  /** The committed checkpoint to go on from. `dir` is the folder that its shards are relative to. */
  resumePoint(): { step: number; dir: string } | undefined;
  /** Tells of SIGTERM, SIGINT and an ordered stop; `deadlineAtMs`, in ms of `Date.now()`, may be corrected by a second call. */
  onStop(listener: StopListener): void;
  progress(step: number, totalSteps: number, message: string): void;
  /** Every rank: its shards of this step are on disk. */
  report(step: number, files: readonly string[], signal: AbortSignal, deadlineMs: number): Promise<void>;
  /** Rank 0: makes the step the one to resume from. `deadlineMs` in ms of `performance.now()`. */
  commit(commit: Commit, signal: AbortSignal, deadlineMs: number): Promise<void>;
}

export function openPublisher(options: Options, env: NodeJS.ProcessEnv): Publisher {
  const client = MusterCheckpoint.fromEnvironment(env);
  if (!client) return new LocalPublisher(options);
  const dir = env['MUSTER_CHECKPOINT_DIR'];
  if (!dir) throw new Exit(exits.usage, 'MUSTER_CONTROL is set, but MUSTER_CHECKPOINT_DIR is not');
  return new MusterPublisher(client, dir, options.graceMs, env);
}

const commitPollMs = 10_000;

class MusterPublisher implements Publisher {
  readonly dir: string;
  readonly #client: MusterCheckpoint;
  readonly #graceMs: number;
  readonly #env: NodeJS.ProcessEnv;
  #progress: Promise<void> | undefined;

  constructor(client: MusterCheckpoint, dir: string, graceMs: number, env: NodeJS.ProcessEnv) {
    this.#client = client;
    this.dir = dir;
    this.#graceMs = graceMs;
    this.#env = env;
  }

  resumePoint(): { step: number; dir: string } | undefined {
    const { MUSTER_RESUME_DIR: dir, MUSTER_RESUME_STEP: step } = this.#env;
    if (!dir) return undefined;
    if (!/^\d{1,10}$/.test(step ?? '')) throw new Exit(exits.usage, `MUSTER_RESUME_STEP is ${JSON.stringify(step)}`);
    return { dir, step: Number(step) };
  }

  /** The agent knows reason and deadline; the signal alone, when the agent is away, counts with `graceMs`. */
  onStop(listener: StopListener): void {
    let isOrdered = false;
    this.#client.watchStop(({ reason, deadlineAt }) => {
      isOrdered = true;
      listener(reason, Date.parse(deadlineAt));
    });
    onSignal(this.#graceMs, (reason, deadlineAtMs) => {
      if (!isOrdered) listener(reason, deadlineAtMs);
    });
  }

  /** One message at a time; those that come meanwhile are dropped, as a later one says more. */
  progress(step: number, totalSteps: number, message: string): void {
    this.#progress ??= this.#client
      .progress({ step, totalSteps, message })
      .catch(() => undefined) // progress is only news: an absent agent must not disturb the training
      .finally(() => (this.#progress = undefined));
  }

  async report(step: number, files: readonly string[], signal: AbortSignal, deadlineMs: number): Promise<void> {
    await this.#client.shards(step, files, { signal, retryForMs: deadlineMs - performance.now() });
  }

  async commit(commit: Commit, signal: AbortSignal, deadlineMs: number): Promise<void> {
    for (;;) {
      const leftMs = deadlineMs - performance.now();
      try {
        await this.#client.commit({ ...commit, waitMs: Math.max(0, Math.min(commitPollMs, Math.trunc(leftMs))) }, { signal, retryForMs: leftMs });
        return;
      } catch (error) {
        const isIncomplete = error instanceof Refused && error.code === 'checkpoint_incomplete';
        if (!isIncomplete || performance.now() >= deadlineMs) throw error;
      }
    }
  }
}

interface Manifest {
  step: number;
  files: { path: string; bytes: string; sha256: string }[];
}

const manifestName = 'committed.json';
const keptSteps = 2;

/** Checkpoints without Muster: one folder for all ranks, in which `committed.json` names the step to resume from. */
class LocalPublisher implements Publisher {
  readonly dir: string;
  readonly #options: Options;

  constructor(options: Options) {
    if (options.dir === undefined && (options.worldSize > 1 || options.resume)) {
      throw new Exit(exits.usage, 'without Muster, --dir is needed for more than one rank and for --resume');
    }
    this.dir = options.dir ?? mkdtempSync(join(tmpdir(), 'digits-'));
    mkdirSync(this.dir, { recursive: true });
    this.#options = options;
  }

  resumePoint(): { step: number; dir: string } | undefined {
    const path = join(this.dir, manifestName);
    if (!this.#options.resume || !existsSync(path)) return undefined;
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    for (const file of manifest.files) {
      const whole = join(this.dir, file.path);
      if (!existsSync(whole) || sha256(whole) !== file.sha256) throw new Exit(exits.checkpointUnreadable, `${whole} is not as it was committed`);
    }
    return { step: manifest.step, dir: this.dir };
  }

  onStop(listener: StopListener): void {
    onSignal(this.#options.graceMs, listener);
  }

  progress(): void {
    // Nobody listens; the lines on stdout say it.
  }

  async report(): Promise<void> {
    // All ranks share the folder: the commit finds the files there.
  }

  commit({ step }: Commit): Promise<void> {
    const folder = `step-${String(step)}`;
    const files = readdirSync(join(this.dir, folder)).filter((name) => !name.endsWith('.tmp')).map((name) => this.#describe(`${folder}/${name}`));
    writeShard(this.dir, manifestName, Buffer.from(JSON.stringify({ step, files } satisfies Manifest)));
    this.#forgetOlder(step);
    return Promise.resolve();
  }

  #describe(path: string): Manifest['files'][number] {
    const whole = join(this.dir, path);
    return { path, bytes: String(readFileSync(whole).byteLength), sha256: sha256(whole) };
  }

  #forgetOlder(step: number): void {
    const steps = readdirSync(this.dir).flatMap((name) => /^step-(\d+)$/.exec(name)?.[1] ?? []).map(Number);
    const older = steps.filter((other) => other <= step).sort((left, right) => right - left).slice(keptSteps);
    for (const other of older) rmSync(join(this.dir, `step-${String(other)}`), { recursive: true, force: true });
  }
}

/** True where a checkpoint isn't committed though nothing is wrong with this process: training may go on. */
export const isUncommitted = (error: Error): boolean =>
  error instanceof Refused || error instanceof Unreachable || error.name === 'AbortError';

function onSignal(graceMs: number, listener: StopListener): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => listener(signal, Date.now() + graceMs));
}

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
