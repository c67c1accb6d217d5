/**
 * The least control server that keeps the contract of docs/checkpoints.md: one Unix socket a member, shards hashed,
 * commits by compare-and-set on (epoch, step). It stands in for the agent, which is another process's part here; the
 * agent itself is tested end to end elsewhere.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Committed {
  step: number;
  dir: string;
  epoch: number;
  files: Map<string, string>;
}

interface Request {
  rank: number;
  path: string;
  waitMs: number;
  body: Record<string, unknown>;
}

type Answer = [status: number, body: object];

const problem = (status: number, code: string): Answer => [status, { code, title: code, status }];
const pollMs = 10;

export class ControlServer {
  readonly root: string;
  readonly worldSize: number;
  readonly commits: Committed[] = [];
  readonly progress: Record<string, unknown>[] = [];
  readyRanks = new Set<number>();
  epoch = 1;
  stop: { reason: string; deadlineAt: string } | null = null;
  isFenced = false;
  /** The next so many commits are applied, but their answer is lost: the agent died in between. */
  lostCommitAnswers = 0;
  #shards = new Map<string, Map<string, string>>();
  #servers: Server[] = [];

  constructor(root: string, worldSize: number) {
    this.root = root;
    this.worldSize = worldSize;
    mkdirSync(this.dir, { recursive: true });
  }

  get dir(): string {
    return join(this.root, String(this.epoch));
  }

  get last(): Committed | undefined {
    return this.commits.at(-1);
  }

  socketPath(rank: number): string {
    return join(this.root, `control-${String(rank)}.sock`);
  }

  async open(): Promise<void> {
    for (let rank = 0; rank < this.worldSize; rank++) {
      const server = createServer((request, response) => {
        this.#serve(rank, request, response).catch(() => response.destroy());
      });
      rmSync(this.socketPath(rank), { force: true });
      await new Promise<void>((resolve) => server.listen(this.socketPath(rank), resolve));
      this.#servers.push(server);
    }
  }

  /** Takes the sockets away, as an agent's kill -9 does; `open` brings them back. What was reported stays known. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    })));
  }

  nextEpoch(): void {
    this.epoch += 1;
    this.stop = null;
    mkdirSync(this.dir, { recursive: true });
  }

  /** The environment that an agent gives to one member. */
  environment(rank: number): Record<string, string> {
    const { last } = this;
    return {
      RANK: String(rank),
      WORLD_SIZE: String(this.worldSize),
      MUSTER_JOB: 'job_test',
      MUSTER_EPOCH: String(this.epoch),
      MUSTER_RANK: String(rank),
      MUSTER_CHECKPOINT_DIR: this.dir,
      MUSTER_CONTROL: this.socketPath(rank),
      ...(last ? { MUSTER_RESUME_DIR: last.dir, MUSTER_RESUME_STEP: String(last.step) } : {}),
    };
  }

  async #serve(rank: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://control');
    const text = Buffer.concat(await request.toArray() as Buffer[]).toString();
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const waitMs = Number(url.searchParams.get('waitMs') ?? body['waitMs'] ?? 0);
    const [status, answer] = await this.#answer({ rank, path: url.pathname, waitMs, body });
    if (status === 200 && url.pathname === '/v1/checkpoints/commit' && this.lostCommitAnswers > 0) {
      this.lostCommitAnswers -= 1;
      response.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
    response.end(JSON.stringify(answer));
  }

  async #answer({ rank, path, waitMs, body }: Request): Promise<Answer> {
    switch (path) {
      case '/v1/member': return [200, this.#member(rank)];
      case '/v1/stop': return this.#waitForStop(rank, waitMs);
      case '/v1/ready': this.readyRanks.add(rank); return [200, {}];
      case '/v1/progress': this.progress.push(body); return [200, {}];
      case '/v1/checkpoints/shards': return this.#report(rank, Number(body['step']), body['files'] as string[]);
      case '/v1/checkpoints/commit': return this.#commit(Number(body['step']), waitMs);
      default: return problem(404, 'not_found');
    }
  }

  #member(rank: number): object {
    const resume = this.last ? { checkpoint: `ckpt_${String(this.last.step)}`, step: this.last.step, dir: this.last.dir } : null;
    return { job: 'job_test', epoch: String(this.epoch), rank, worldSize: this.worldSize, state: this.stop ? 'stopping' : 'running', stop: this.stop, resume };
  }

  async #waitForStop(rank: number, waitMs: number): Promise<Answer> {
    for (const endMs = performance.now() + waitMs; !this.stop && this.#servers.length > 0 && performance.now() < endMs; ) await sleep(pollMs);
    return [200, this.#member(rank)];
  }

  #report(rank: number, step: number, files: string[]): Answer {
    if (this.isFenced) return problem(409, 'checkpoint_fenced');
    const hashes = new Map(files.map((path) => [path, sha256(join(this.dir, path))]));
    this.#shards.set(this.#key(step, rank), hashes);
    return [200, { step, files: [...hashes].map(([path, hash]) => ({ path, bytes: String(readFileSync(join(this.dir, path)).byteLength), sha256: hash })) }];
  }

  async #commit(step: number, waitMs: number): Promise<Answer> {
    for (const endMs = performance.now() + waitMs; !this.#isComplete(step) && performance.now() < endMs; ) await sleep(pollMs);
    if (this.isFenced) return problem(409, 'checkpoint_fenced');
    const { last } = this;
    const answer: Answer = [200, { checkpoint: `ckpt_${String(step)}`, step }];
    if (last?.epoch === this.epoch && last.step === step) return answer; // the same commit, told twice
    if (last && last.step >= step) return problem(409, 'checkpoint_step_not_newer');
    if (!this.#isComplete(step)) return problem(409, 'checkpoint_incomplete');
    const files = new Map(this.#ranks().flatMap((rank) => [...this.#shards.get(this.#key(step, rank)) ?? []]));
    this.commits.push({ step, dir: this.dir, epoch: this.epoch, files });
    return answer;
  }

  #isComplete(step: number): boolean {
    return this.#ranks().every((rank) => this.#shards.has(this.#key(step, rank)));
  }

  #ranks = (): number[] => Array.from({ length: this.worldSize }, (_, rank) => rank);

  #key = (step: number, rank: number): string => `${String(this.epoch)}/${String(step)}/${String(rank)}`;
}

const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
