/**
 * HTTP on a Unix socket, one a member: how its program talks to Muster (docs/checkpoints.md). The socket has the same
 * path after a restart of the agent, so a program only has to try again.
 */
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ControlProblem } from './control-problem.ts';
import { readCommit, readProgress, readShards, readWaitMs } from './control-requests.ts';
import type { CommitRequest, MemberView, ShardsRequest } from './control-requests.ts';
import type { MemberProgress, ShardFact } from '#services/fleet/model.ts';

export interface ControlledMember {
  view(): MemberView;
  /** Resolves when a stop was ordered, the time is over, or the caller went away. */
  waitForStop(waitMs: number, signal: AbortSignal): Promise<void>;
  markReady(): void;
  setProgress(progress: MemberProgress): void;
  reportShards(request: ShardsRequest): Promise<{ step: number; files: ShardFact[] }>;
  commit(request: CommitRequest): Promise<{ checkpoint: string; step: number }>;
}

/** 1,024 paths of 8 parts of 128 characters, as JSON */
const bodyBytesMax = 1_500_000;
const connectionsMax = 64;
const requestTimeoutMs = 30_000;

/** Opens the socket, in place of one that a killed agent left. */
export async function openControl(socketPath: string, member: ControlledMember): Promise<Server> {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }, (request, response) => {
    void handle(request, response, member);
  });
  server.maxConnections = connectionsMax;
  rmSync(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  return server;
}

export function closeControl(server: Server): void {
  server.close(); // removes the socket's file
  server.closeAllConnections();
}

async function handle(request: IncomingMessage, response: ServerResponse, member: ControlledMember): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  response.once('error', () => left.abort());
  try {
    send(response, 200, 'application/json', await route(request, member, left.signal));
  } catch (error) {
    const known = error instanceof ControlProblem ? error : new ControlProblem('internal', error instanceof Error ? error.message : String(error));
    send(response, known.status, 'application/problem+json', known.toJSON());
  }
}

async function route(request: IncomingMessage, member: ControlledMember, left: AbortSignal): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://member');
  switch (`${request.method ?? 'GET'} ${url.pathname}`) {
    case 'GET /v1/member':
      return member.view();
    case 'GET /v1/stop':
      await member.waitForStop(readWaitMs(url.searchParams), left);
      return member.view();
    case 'POST /v1/ready':
      await readJson(request);
      member.markReady();
      return {};
    case 'POST /v1/progress':
      member.setProgress(readProgress(await readJson(request)));
      return {};
    case 'POST /v1/checkpoints/shards':
      return member.reportShards(readShards(await readJson(request)));
    case 'POST /v1/checkpoints/commit':
      return member.commit(readCommit(await readJson(request)));
    default:
      throw new ControlProblem('route_not_found', `${request.method ?? ''} ${url.pathname.slice(0, 200)}`);
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bodyBytesMax) throw new ControlProblem('body_too_large', `at most ${bodyBytesMax} bytes`);
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString('utf8');
  try {
    return text === '' ? {} : JSON.parse(text) as unknown;
  } catch {
    throw new ControlProblem('malformed_json', 'the body is not JSON');
  }
}

function send(response: ServerResponse, status: number, type: string, value: unknown): void {
  if (response.destroyed) return;
  const text = JSON.stringify(value);
  const isAbandoned = status === 413; // the rest of the body is not read
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...isAbandoned ? { connection: 'close' } : {} });
  response.end(text);
}

