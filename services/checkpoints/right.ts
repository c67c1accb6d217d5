import { isPlaced } from '../jobs/model.ts';
import type { EpochRight } from './store.ts';

/**
 * Whether an epoch may publish (law 5): it is the job's current one, not fenced, not over, and its processes are still
 * wanted or were asked to save. VACATING for any reason but loss and CANCELLING keep the right until the epoch ends: a
 * save that was paid for within the grace is worth keeping, and nothing else can have been started meanwhile.
 *
 * @returns why not, or undefined
 */
export function refusalToPublish(right: EpochRight | undefined, epoch: bigint): string | undefined {
  if (!right) return 'no such epoch of this job';
  if (right.currentEpoch !== epoch) return `epoch ${epoch} is over, the job is at ${right.currentEpoch}`;
  if (right.fenced) return `epoch ${epoch} is fenced`;
  if (right.ended) return `epoch ${epoch} has ended`;
  if (isPlaced(right.state) || right.state === 'CANCELLING') return undefined;
  if (right.state === 'VACATING' && right.vacateReason !== 'lost') return undefined;
  return right.state === 'VACATING' ? 'the epoch was lost' : `the job is ${right.state}`;
}
