/** A job whose node falls silent, and is heard again (P12–P15). The caller holds the job's lock. */
import type { Tx } from '../platform/db.ts';
import { moveOf, stateFromCounters } from './model.ts';
import { moveJob } from './move.ts';
import { countersOf, lockAttempt, type JobRow } from './store.ts';

/** LOST, where the node of a member that is not gone is not heard (P13). @returns whether it moved */
export async function loseJob(tx: Tx, job: JobRow): Promise<boolean> {
  if (!moveOf(job.state, 'nodeSilent') || (await allHeard(tx, job))) return false;
  await moveJob(tx, job, 'nodeSilent', 'LOST', { detail: 'a node of it has fallen silent' });
  return true;
}

/** Goes on where its counters say (P15), once the nodes of all members that have not exited are heard (P14). */
export async function hearJob(tx: Tx, job: JobRow): Promise<boolean> {
  if (job.state !== 'LOST' || !(await allHeard(tx, job))) return false;
  const attempt = await lockAttempt(tx, job.id, job.epoch);
  if (!attempt) return false;
  await moveJob(tx, job, 'heardAgain', stateFromCounters(countersOf(attempt)), { detail: null });
  return true;
}

async function allHeard(tx: Tx, job: JobRow): Promise<boolean> {
  const silent = await tx.selectFrom('member').innerJoin('node', 'node.id', 'member.node_id').select('node.id')
    .where('member.job_id', '=', job.id).where('member.epoch', '=', job.epoch).where('member.gone_at', 'is', null)
    .where('node.state', '!=', 'LIVE').limit(1).executeTakeFirst();
  return silent === undefined;
}
