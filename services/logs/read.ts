/** Reads what the members of a job printed, from the stream: it outlives their nodes. */
import type { Db } from '../platform/db.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { readLogs, type StoredLog } from '../platform/nats/log-stream.ts';
import { isEnded, type JobState } from '../jobs/model.ts';
import { Assembly, type LogLine } from './assembly.ts';
import { parseLogChunk, parseLogSubject } from './model.ts';

export interface LogRequest {
  readonly jobId: string;
  /** undefined: all */
  readonly rank: number | undefined;
  /** of the attempt; undefined: all */
  readonly epoch: bigint | undefined;
  /** goes on until the job, or the attempt, has ended and all is read; otherwise ends with what is there */
  readonly follow: boolean;
  /** position of the last chunk that was read */
  readonly afterSeq: number;
}

export interface LogDeps { readonly db: Db; readonly bus: Bus }

/** How often the job is asked about while nothing comes. */
const idleMs = 500;
/** A member whose node has died sends no last chunk; one whose exit is known may still send for a moment. */
const quietMs = 5_000;

/**
 * In the order in which the chunks arrived, which within a rank and a stream is the order in which it printed. Yields
 * undefined when nothing came for a while, so that the caller may look whether anyone still listens.
 */
export async function* readJobLogs({ db, bus }: LogDeps, request: LogRequest): AsyncGenerator<LogLine | undefined> {
  const subject = `logs.*.${request.jobId}.${request.epoch ?? '*'}.${request.rank ?? '*'}`;
  const reading = await readLogs(bus, subject, { afterSeq: request.afterSeq });
  const assembly = new Assembly();
  let quietSince = performance.now();
  try {
    for (;;) {
      const stored = await reading.nextWithin(idleMs);
      if (stored) {
        quietSince = performance.now();
        yield* assemble(assembly, stored);
        if (!request.follow && stored.pending === 0) return;
      } else {
        if (!request.follow && (await reading.pending()) === 0) return;
        if (request.follow && await isOver(db, request, assembly, performance.now() - quietSince)) return;
        yield undefined;
      }
    }
  } finally {
    await reading.close();
  }
}

function assemble(assembly: Assembly, stored: StoredLog): LogLine[] {
  const source = parseLogSubject(stored.subject);
  const chunk = parseLogChunk(stored.value);
  return source && chunk ? assembly.add(stored.seq, source, chunk) : [];
}

/** Nothing more can come: it has ended, and every member said its last, or has been silent long enough. */
async function isOver(db: Db, request: LogRequest, assembly: Assembly, quietForMs: number): Promise<boolean> {
  if (!(await hasEnded(db, request))) return false;
  if (quietForMs >= quietMs) return true;
  const members = await startedMembers(db, request);
  return members.every(({ epoch, rank }) => assembly.hasEnded(epoch.toString(), rank));
}

async function hasEnded(db: Db, { jobId, epoch }: LogRequest): Promise<boolean> {
  const job = await db.selectFrom('job').select(['state', 'epoch']).where('id', '=', jobId).executeTakeFirst();
  return job === undefined || isEnded(job.state as JobState) || (epoch !== undefined && epoch < job.epoch);
}

async function startedMembers(db: Db, { jobId, epoch, rank }: LogRequest): Promise<{ epoch: bigint; rank: number }[]> {
  let query = db.selectFrom('member').select(['epoch', 'rank']).where('job_id', '=', jobId).where('accepted_at', 'is not', null);
  if (epoch !== undefined) query = query.where('epoch', '=', epoch);
  if (rank !== undefined) query = query.where('rank', '=', rank);
  return query.execute();
}
