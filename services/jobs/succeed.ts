/** Every member has exited 0: the job has succeeded, and its devices are free. */
import type { Tx } from '../platform/db.ts';
import { lockDecided, superseded } from './decided.ts';
import { moveOf, type Decided, type Outcome } from './model.ts';
import { moveJob } from './move.ts';
import { releaseEpoch } from './release.ts';
import { lockAttempt } from './store.ts';

export async function succeedJob(tx: Tx, decided: Decided): Promise<Outcome> {
  const { job, current } = await lockDecided(tx, decided);
  if (job.state === 'SUCCEEDED' && job.epoch.toString() === decided.epoch) return { kind: 'already' };
  const attempt = await lockAttempt(tx, job.id, job.epoch);
  if (!current || !attempt || !moveOf(job.state, 'allSucceeded') || attempt.succeeded !== attempt.members) return superseded(job);
  const ended = await moveJob(tx, job, 'allSucceeded', 'SUCCEEDED', { detail: null, vacate_reason: null });
  await releaseEpoch(tx, ended, job.epoch, 'all members exited 0');
  return { kind: 'applied' };
}
