/** Tells one observer a process of committed moves, for its metrics. Rules and transactions don't know it. */
import { afterCommit, type Tx } from '../platform/db.ts';
import type { JobEvent, JobState } from './model.ts';

/** `submitted` is the entry into the table of moves. */
export type MoveObserver = (event: JobEvent | 'submitted', to: JobState) => void;
let observe: MoveObserver = () => {};

export function observeMovesBy(observer: MoveObserver): void {
  observe = observer;
}

/** A transaction that is rolled back or repeated tells nothing, or tells it once. */
export function noteMove(tx: Tx, job: { readonly id: string; readonly version: bigint }, event: JobEvent | 'submitted', to: JobState): void {
  afterCommit(tx, `move ${job.id} ${job.version}`, () => observe(event, to));
}
