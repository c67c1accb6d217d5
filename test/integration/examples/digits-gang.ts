import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../infra/examples/digits/train.ts', import.meta.url));

/** One rank of a gang as a real process, with what it printed. */
export class Rank {
  readonly process: ChildProcess;
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  output = '';
  #listeners = new Set<() => void>();

  constructor(args: readonly string[], env: Record<string, string>) {
    this.process = spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) stream?.on('data', (chunk: Buffer) => this.#take(chunk.toString()));
    this.exit = new Promise((resolve) => this.process.once('close', (code, signal) => {
      resolve({ code, signal });
      this.#take('');
    }));
  }

  /** Resolves once `pattern` was printed; rejects when the process ended without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(this.output);
        const isOver = this.process.exitCode !== null || this.process.signalCode !== null;
        if (!match && !isOver) return;
        this.#listeners.delete(look);
        if (match) resolve(match);
        else reject(new Error(`ended without printing ${String(pattern)}:\n${this.output}`));
      };
      this.#listeners.add(look);
      look();
    });
  }

  #take(text: string): void {
    this.output += text;
    for (const listener of this.#listeners) listener();
  }
}

/** Starts the ranks `firstRank`…`worldSize` − 1, which meet on `port`. */
export function startGang(
  worldSize: number,
  port: number,
  args: readonly string[],
  env: (rank: number) => Record<string, string> = () => ({}),
  firstRank = 0,
): Rank[] {
  const ranks = Array.from({ length: worldSize - firstRank }, (_, index) => firstRank + index);
  return ranks.map((rank) => new Rank(args, {
    RANK: String(rank), WORLD_SIZE: String(worldSize), MASTER_ADDR: '127.0.0.1', MASTER_PORT: String(port), ...env(rank),
  }));
}

export const exitCodes = async (gang: readonly Rank[]): Promise<(number | null)[]> =>
  (await Promise.all(gang.map((rank) => rank.exit))).map(({ code }) => code);

/** Ends what a failed test left running. */
export function killAll(gang: readonly Rank[]): void {
  for (const { process: child } of gang) child.kill('SIGKILL');
}

/** The digest in rank 0's last line. */
export function digestOf(gang: readonly Rank[]): string {
  const match = /^digits: done steps=\d+ accuracy=\d\.\d+ digest=([0-9a-f]{64})$/m.exec(gang[0]?.output ?? '');
  if (!match?.[1]) throw new Error(`no result:\n${gang.map((rank) => rank.output).join('\n')}`);
  return match[1];
}
