/** A role or an agent as a process of its own that a test may kill, freeze, thaw and start again. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { repositoryRoot, type Environment } from '#services/platform/config.ts';

/** Of a part's log, the newest part is kept: enough for a failure's message and for what the sweeps found. */
const logCharsMax = 2_000_000;
const readyTimeoutMs = 90_000;

/** Agents outlive their parent by design: a test process that ends early takes its parts along. */
const living = new Set<ChildProcess>();
process.on('exit', () => { for (const child of living) child.kill('SIGKILL'); });

export class Part {
  readonly name: string;
  readonly #role: string;
  readonly #env: Environment;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #log = '';

  /** @param env  the whole environment: nothing of this machine's settings reaches a part */
  constructor(name: string, role: string, env: Environment) {
    [this.name, this.#role, this.#env] = [name, role, env];
  }

  /** of all its lives */
  get log(): string { return this.#log; }
  get isUp(): boolean { return this.#child !== undefined; }
  get pid(): number { return this.#child?.pid ?? 0; }

  /** Ready when it says so. @throws Error with its log */
  async start(env: Environment = {}): Promise<this> {
    const child = spawn(process.execPath, [path.join(repositoryRoot, 'services/roles', `${this.#role}.ts`)], {
      cwd: repositoryRoot, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { ...this.#env, ...env },
    });
    this.#child = child;
    living.add(child);
    child.stderr?.on('data', (chunk: Buffer) => { this.#log = (this.#log + chunk.toString()).slice(-logCharsMax); });
    this.#ended = new Promise((resolve) => child.once('close', () => {
      living.delete(child);
      if (this.#child === child) this.#child = undefined;
      resolve();
    }));
    const late = AbortSignal.timeout(readyTimeoutMs);
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('close', () => reject(new Error(`${this.name} ended before it was ready: ${this.#log.slice(-2_000)}`)));
      late.addEventListener('abort', () => reject(new Error(`${this.name} is not ready after ${readyTimeoutMs} ms: ${this.#log.slice(-2_000)}`)));
    });
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** @returns when it has ended */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
  }
}
