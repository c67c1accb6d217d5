/**
 * Client for a member's control socket (docs/checkpoints.md). One file, Node ≥ 22.18, no dependency: copy it.
 * The vocabulary is that of `infra/clients/python/muster_checkpoint.py`.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program that was fenced exits with this code at once (EX_NOPERM of sysexits.h). */
export const fencedExitCode = 77;

export interface Stop {
  reason: string;
  /** ISO 8601; SIGKILL comes at this time. */
  deadlineAt: string;
}

export interface Resume {
  checkpoint: string;
  step: number;
  /** Folder to which the paths of the committed shards are relative. */
  dir: string;
}

export interface Member {
  job: string;
  epoch: string | number;
  rank: number;
  worldSize: number;
  state: 'running' | 'stopping';
  stop: Stop | null;
  resume: Resume | null;
}

export interface ShardFile {
  path: string;
  /** Decimal string. */
  bytes: string;
  sha256: string;
}

export interface CallOptions {
  /** How long an agent that doesn't answer is tried again. Default 30,000. */
  retryForMs?: number;
  signal?: AbortSignal;
}

/** The agent answered with an error: `code` is that of the problem document. Trying again as it is changes nothing. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(`${code} (${String(status)}): ${detail}`);
    this.status = status;
    this.code = code;
  }
}

/** A newer epoch of the job exists, or this one has ended: nothing of this process can be published. Exit at once. */
export class Fenced extends Refused {
  readonly exitCode = fencedExitCode;
}

/** The agent gave no answer for the whole of `retryForMs`. */
export class Unreachable extends Error {}

const firstBackoffMs = 50;
const maxBackoffMs = 2_000; // a restarted agent is back within seconds; slower than this only delays the commit
const answerTimeoutMs = 15_000;
const maxAnswerBytes = 4 * 1024 * 1024; // a shard list of some 20,000 files
const maxWaitMs = 30_000; // the agent's bound for a long poll

export class MusterCheckpoint {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The client of this process, or undefined where the program runs without Muster. */
  static fromEnvironment(env: NodeJS.ProcessEnv = process.env): MusterCheckpoint | undefined {
    const socketPath = env['MUSTER_CONTROL'];
    return socketPath ? new MusterCheckpoint(socketPath) : undefined;
  }

  /** Who this process is, whether it shall stop, and what it resumes from. */
  member(options: CallOptions = {}): Promise<Member> {
    return this.#call<Member>('GET', '/v1/member', undefined, 0, options);
  }

  /** Waits up to `waitMs` (≤ 30,000) for a stop order; answers as soon as there is one. */
  stop(waitMs: number, options: CallOptions = {}): Promise<Member> {
    const bounded = Math.min(Math.max(0, Math.trunc(waitMs)), maxWaitMs);
    return this.#call<Member>('GET', `/v1/stop?waitMs=${String(bounded)}`, undefined, bounded, options);
  }

  /** Says that this member is ready. Only jobs with `readiness: signal` need it. */
  async ready(options: CallOptions = {}): Promise<void> {
    await this.#call('POST', '/v1/ready', {}, 0, options);
  }

  /** Says how far the job is; the latest wins, a lost one does no harm. */
  async progress(progress: { step: number; totalSteps?: number; message?: string }, options: CallOptions = {}): Promise<void> {
    await this.#call('POST', '/v1/progress', progress, 0, { retryForMs: 0, ...options });
  }

  /** Reports the shards that this member wrote for `step`: paths relative to MUSTER_CHECKPOINT_DIR. */
  shards(step: number, files: readonly string[], options: CallOptions = {}): Promise<{ step: number; files: ShardFile[] }> {
    return this.#call('POST', '/v1/checkpoints/shards', { step, files }, 0, options);
  }

  /**
   * Rank 0 only: commits the checkpoint of `step` once all ranks reported their shards, waiting ≤ `waitMs` for them.
   *
   * @throws Fenced · Refused `checkpoint_incomplete` (a rank is missing: try again), `checkpoint_step_not_newer` · Unreachable
   */
  commit(
    commit: { step: number; layout: object; dataPosition: object; waitMs?: number },
    options: CallOptions = {},
  ): Promise<{ checkpoint: string; step: number }> {
    const waitMs = Math.min(commit.waitMs ?? 10_000, maxWaitMs);
    return this.#call('POST', '/v1/checkpoints/commit', { ...commit, waitMs }, waitMs, options);
  }

  /** Calls `listener` once, when a stop is ordered. @returns ends the watch */
  watchStop(listener: (stop: Stop) => void): () => void {
    const ended = new AbortController();
    void this.#watch(listener, ended.signal);
    return () => ended.abort();
  }

  async #watch(listener: (stop: Stop) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { stop } = await this.stop(maxWaitMs, { signal });
        if (stop) return listener(stop);
        await sleep(firstBackoffMs, undefined, { signal }); // bounds the rate, should an agent answer without waiting
      } catch {
        // No agent: it may be restarting, and training goes on without it (SIGTERM also tells of a stop).
        await sleep(maxBackoffMs * Math.random(), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #call<T>(method: string, path: string, body: object | undefined, waitMs: number, options: CallOptions): Promise<T> {
    const giveUpAtMs = performance.now() + (options.retryForMs ?? 30_000);
    for (let backoffMs = firstBackoffMs; ; backoffMs = Math.min(2 * backoffMs, maxBackoffMs)) {
      try {
        const answer = await this.#send(method, path, body, waitMs + answerTimeoutMs, options.signal);
        return readAnswer<T>(answer);
      } catch (error) {
        if (error instanceof Refused && !isPassing(error.status)) throw error;
        options.signal?.throwIfAborted();
        const pauseMs = backoffMs * (0.5 + Math.random() / 2);
        if (performance.now() + pauseMs > giveUpAtMs) {
          throw new Unreachable(`${method} ${path}: ${(error as Error).message}`, { cause: error });
        }
        await sleep(pauseMs, undefined, options.signal ? { signal: options.signal } : {});
      }
    }
  }

  #send(method: string, path: string, body: object | undefined, timeoutMs: number, signal?: AbortSignal): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const call = request({ socketPath: this.#socketPath, method, path, headers, agent: false, ...(signal ? { signal } : {}) });
      const timer = setTimeout(() => call.destroy(new Error('no answer in time')), timeoutMs);
      call.on('close', () => clearTimeout(timer));
      call.on('error', reject);
      call.on('response', (response) => {
        let received = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          received += chunk;
          if (received.length > maxAnswerBytes) call.destroy(new Error('answer too long'));
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: received }));
      });
      call.end(text);
    });
  }
}

/**
 * Writes a shard so that it is whole or absent after any crash: temporary file, fsync, rename, fsync of the folder.
 *
 * @param path relative to `dir`, without `..`
 */
export function writeShard(dir: string, path: string, ...parts: Uint8Array[]): void {
  const relative = normalize(path);
  if (isAbsolute(relative) || relative.split(sep).includes('..')) throw new Error(`shard path ${JSON.stringify(path)} leaves its folder`);
  const target = join(dir, relative);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  mkdirSync(dirname(target), { recursive: true });
  try {
    const file = openSync(temporary, 'wx');
    try {
      for (const part of parts) writeFileSync(file, part);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(target));
  syncFolder(dir);
}

interface Answer {
  status: number;
  text: string;
}

function readAnswer<T>({ status, text }: Answer): T {
  if (status >= 200 && status < 300) return (text === '' ? {} : JSON.parse(text)) as T;
  const problem = parseProblem(text);
  const Kind = problem.code === 'checkpoint_fenced' ? Fenced : Refused;
  throw new Kind(status, problem.code, problem.detail);
}

function parseProblem(text: string): { code: string; detail: string } {
  try {
    const problem = JSON.parse(text) as { code?: string; detail?: string; title?: string } | null;
    return { code: problem?.code ?? 'unknown', detail: problem?.detail ?? problem?.title ?? '' };
  } catch {
    return { code: 'unknown', detail: text.slice(0, 200) };
  }
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
