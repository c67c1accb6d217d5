import { appendEvent } from '../events/append.ts';
import type { Tx } from '../platform/db.ts';
import { checkpointEvent } from './events.ts';
import type { BadVerdict, Checkpoint, Pointer } from './model.ts';
import { findCheckpoint, lockJobRow, markBadRow, movePointer, newestCommitted, noteOnJob, readPointer } from './store.ts';

export interface BadReport {
  readonly jobId: string;
  readonly checkpointId: string;
  /** whose agent refused the start */
  readonly node: string;
  /** what the agent found, a sentence */
  readonly reason: string;
}

const reasonCharactersMax = 500;

/**
 * Takes back a checkpoint that an agent found torn or altered: BAD, and where it was the one that a restart gets, the
 * pointer goes one commit back, to nothing when none is left (the job stops then, it never starts at step 0). A
 * checkpoint whose files only other nodes can reach is left as it is: the agent's finding says nothing about it.
 *
 * @param tx  open transaction, may hold the job's lock already
 */
export async function markCheckpointBad(tx: Tx, report: BadReport): Promise<BadVerdict> {
  const teamId = await lockJobRow(tx, report.jobId);
  const checkpoint = teamId === undefined ? undefined : await findCheckpoint(tx, report.jobId, report.checkpointId);
  if (!checkpoint || teamId === undefined) return { kind: 'unknown' };
  if (checkpoint.reach === 'node' && !checkpoint.nodes.includes(report.node)) return { kind: 'elsewhere', nodes: checkpoint.nodes };
  const reason = report.reason.slice(0, reasonCharactersMax);
  if (!await markBadRow(tx, checkpoint.id, reason)) return { kind: 'already' };

  const pointer = await fallBack(tx, checkpoint);
  await noteOnJob(tx, report.jobId, sentence(checkpoint, report, reason, pointer));
  await appendEvent(tx, checkpointEvent('checkpoint.bad', checkpoint, teamId, reason));
  return { kind: 'marked', pointer };
}

async function fallBack(tx: Tx, bad: Checkpoint): Promise<Pointer> {
  const pointer = await readPointer(tx, bad.jobId);
  if (!pointer) throw new Error(`${bad.jobId} has the checkpoint ${bad.id} and no pointer`);
  if (pointer.checkpointId !== bad.id) return pointer;
  const before = await newestCommitted(tx, bad.jobId);
  const to = before ? { checkpointId: before.id, epoch: before.epoch, step: before.step } : { ...pointer, checkpointId: null };
  if (!await movePointer(tx, bad.jobId, pointer, to)) throw new Error(`pointer of ${bad.jobId} moved under the job's lock`);
  return to;
}

function sentence(bad: Checkpoint, report: BadReport, reason: string, pointer: Pointer): string {
  const next = pointer.checkpointId === null ? 'none is left to restart from' : `a restart gets step ${pointer.step}`;
  return `checkpoint of step ${bad.step} is not readable on ${report.node} (${reason}); ${next}`;
}
