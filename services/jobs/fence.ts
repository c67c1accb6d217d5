/** A LOST job whose silent node has passed t_fence: its epoch loses the right to publish and the job leaves its nodes. */
import type { Tx } from '../platform/db.ts';
import { deadlinesOf, type DeadlineConfig } from './deadlines.ts';
import { lockDecided, superseded } from './decided.ts';
import { moveOf, type Decided, type Outcome } from './model.ts';
import { startVacating, type VacateConfig } from './vacate.ts';

export async function fenceJob(tx: Tx, decided: Decided, config: DeadlineConfig & VacateConfig): Promise<Outcome> {
  const { job, current } = await lockDecided(tx, decided);
  if (job.state === 'VACATING' && job.vacate_reason === 'lost' && job.epoch.toString() === decided.epoch) return { kind: 'already' };
  if (!current || !moveOf(job.state, 'fencePassed')) return superseded(job);
  const { fenceDue } = await deadlinesOf(tx, job.id, config);
  if (!fenceDue) return superseded(job);
  await startVacating(tx, job, 'fencePassed', 'lost', 'a node of it fell silent and its lease has run out', config);
  return { kind: 'applied' };
}
