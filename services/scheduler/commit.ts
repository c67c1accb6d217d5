/**
 * Commits placements (design.md §3.2, §3.4): one transaction a batch, all rows locked in the global order, a gang kept
 * whole or dropped whole, a verdict an item.
 *
 * Cost: 14 statements a batch, 19 with tickets and exclusive jobs, however many members: they take arrays, so a member
 * costs rows, not round trips. Measured on two busy cores, 200 members a batch: 0.14–0.25 ms a member with one device,
 * 0.6 ms with eight.
 */
import { nextEpoch } from '../jobs/model.ts';
import { reserveJobs } from '../jobs/reserve.ts';
import { nudgeNodes } from '../fleet/nudge.ts';
import { inTransaction, sqlState, type Db, type Tx } from '../platform/db.ts';
import { stillLeads, type Leadership } from '../platform/leader.ts';
import { admit } from './admit.ts';
import { changeNodes, endTickets, insertAttempts, lockBatch, lockCluster } from './commit-store.ts';
import type { Placement, Verdict } from './model.ts';

export interface CommitRequest {
  readonly leadership: Pick<Leadership, 'name' | 'holder' | 'token'>;
  /** that the plan was made in (P35) */
  readonly incarnation: number;
  /** in the order of decision */
  readonly items: readonly Placement[];
  /** members of one transaction; a larger gang goes alone */
  readonly membersMax: number;
}

export interface Committed {
  readonly verdict: Verdict;
  /** of the job's row after the placement; present when placed */
  readonly version?: bigint;
}

export interface CommitOutcome {
  /** by job id, for every item */
  readonly items: ReadonlyMap<string, Committed>;
  /** new versions of the nodes that were changed */
  readonly nodeVersions: ReadonlyMap<string, bigint>;
}

/** The batch met rows that its locked reads had not promised; it is undone. */
class BatchRefused extends Error {}

const violations: ReadonlySet<string> = new Set(['23505', '23514']);

/**
 * @throws a database error: then it is unknown whether the last batch was committed, and whatever was derived from the
 *   rows must be read again
 */
export async function commitPlacements(db: Db, request: CommitRequest): Promise<CommitOutcome> {
  const items = new Map<string, Committed>();
  const nodeVersions = new Map<string, bigint>();
  const waiting = batches(request.items, request.membersMax).reverse();
  for (let batch = waiting.pop(); batch; batch = waiting.pop()) {
    const outcome = await commitBatch(db, request, batch);
    if (outcome === 'refused') {
      if (batch.length === 1) items.set(batch[0]!.job.id, { verdict: 'no_room' });
      else waiting.push(batch.slice(Math.ceil(batch.length / 2)), batch.slice(0, Math.ceil(batch.length / 2)));
      continue;
    }
    for (const [id, committed] of outcome.items) items.set(id, committed);
    for (const [id, version] of outcome.nodeVersions) nodeVersions.set(id, version);
  }
  return { items, nodeVersions };
}

function batches(items: readonly Placement[], membersMax: number): Placement[][] {
  const all: Placement[][] = [];
  let room = 0;
  for (const item of items) {
    if (all.length === 0 || item.members.length > room) {
      all.push([]);
      room = membersMax;
    }
    all.at(-1)!.push(item);
    room -= item.members.length;
  }
  return all;
}

/** A unique or check violation undoes the batch; the caller halves it, so one bad item can't take the others along. */
async function commitBatch(db: Db, request: CommitRequest, batch: readonly Placement[]): Promise<CommitOutcome | 'refused'> {
  try {
    return await inTransaction(db, (tx) => commitInside(tx, request, batch));
  } catch (error) {
    if (error instanceof BatchRefused || violations.has(sqlState(error) ?? '')) return 'refused';
    throw error;
  }
}

async function commitInside(tx: Tx, request: CommitRequest, batch: readonly Placement[]): Promise<CommitOutcome> {
  const all = (verdict: Verdict): CommitOutcome => ({ items: new Map(batch.map((item) => [item.job.id, { verdict }])), nodeVersions: new Map() });
  if (!(await stillLeads(tx, request.leadership))) return all('token_lost');
  const cluster = await lockCluster(tx);
  if (cluster.frozen || cluster.incarnation !== request.incarnation) return all('frozen');

  const locked = await lockBatch(tx, batch);
  const { verdicts, kept, changes, endedTickets } = admit(batch, locked);
  const items = new Map<string, Committed>(Array.from(verdicts, ([id, verdict]) => [id, { verdict }]));
  if (kept.length === 0) return { items, nodeVersions: new Map() };

  await endTickets(tx, endedTickets);
  const nodeVersions = await changeNodes(tx, changes);
  if (!nodeVersions) throw new BatchRefused();
  const attempts = kept.map((placement) => ({ placement, epoch: nextEpoch(locked.rows.get(placement.job.id)!.epoch, request.incarnation) }));
  await insertAttempts(tx, attempts);
  const versions = await reserveJobs(tx, attempts.map(({ placement, epoch }) => ({ job: locked.rows.get(placement.job.id)!, epoch })));
  for (const [id, version] of versions) items.set(id, { verdict: 'placed', version });

  nudgeNodes(tx, Array.from(changes).flatMap(([id, change]) => (change.hasMembers ? [id] : [])));
  return { items, nodeVersions };
}
