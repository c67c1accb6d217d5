/** Ends an epoch before its time: its members are ordered to stop, its devices stay held until they are gone. */
import { sql } from 'kysely';
import { appendEvent } from '../events/append.ts';
import { nudgeNodes } from '../fleet/nudge.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { openRecoveryTicket } from '../scheduler/tickets.ts';
import { lockDecided, superseded } from './decided.ts';
import { endsInFailure, moveOf, type Decided, type JobEvent, type Outcome, type VacateReason } from './model.ts';
import { jobEvent, moveJob } from './move.ts';
import { fromNow, updateAttempt, updateJob, writeStopOrders, type JobRow } from './store.ts';

export type VacateConfig = Pick<Config, 'lostGraceMs' | 'ticketDeadlineMs'>;

export interface VacateRequest extends Decided {
  readonly event: JobEvent;
  readonly reason: VacateReason;
  /** one sentence for people */
  readonly detail?: string;
}

/**
 * Vacates the decided epoch. A job that is VACATING already takes over a reason that ends in failure (P29), unless it is
 * lost: the row must keep saying that its right to publish is gone (P17), and the condition meets the next epoch.
 */
export async function vacateJob(tx: Tx, request: VacateRequest, config: VacateConfig): Promise<Outcome> {
  const { job, current } = await lockDecided(tx, request);
  const sameEpoch = job.epoch.toString() === request.epoch;
  if (sameEpoch && job.state === 'VACATING' && job.vacate_reason === request.reason) return { kind: 'already' };
  if (!current) return superseded(job);
  if (job.state === 'VACATING') {
    const isReplaceable = job.vacate_reason !== null && job.vacate_reason !== 'lost' && !endsInFailure(job.vacate_reason);
    if (!isReplaceable || !endsInFailure(request.reason)) return superseded(job);
    const changed = await updateJob(tx, job, { vacate_reason: request.reason, detail: request.detail ?? job.detail });
    if (changed) await appendEvent(tx, jobEvent('job.changed', changed));
    return { kind: 'applied' };
  }
  if (!moveOf(job.state, request.event)) return superseded(job);
  await startVacating(tx, job, request.event, request.reason, request.detail, config);
  return { kind: 'applied' };
}

/**
 * The move to VACATING with everything that belongs to it. The caller holds the job's lock and has checked the table.
 * A lost epoch is fenced at once and its survivors get a short grace: they can publish nothing any more.
 */
export async function startVacating(
  tx: Tx, job: JobRow, event: JobEvent, reason: VacateReason, detail: string | undefined, config: VacateConfig,
): Promise<JobRow> {
  const lost = reason === 'lost';
  const graceMs = lost ? config.lostGraceMs : job.spec.checkpoint.graceSeconds * 1000;
  const vacating = await moveJob(tx, job, event, 'VACATING', {
    vacate_reason: reason, vacate_deadline_at: fromNow(graceMs), ...(detail === undefined ? {} : { detail }),
    ...(reason === 'preempt' ? { preemptions: job.preemptions + 1 } : {}),
  });
  if (lost) {
    await updateAttempt(tx, { job_id: job.id, epoch: job.epoch }, { fenced: true });
    await openRecoveryTicket(tx, job, config);
  }
  await orderMembersToStop(tx, vacating, reason, graceMs);
  return vacating;
}

/** Orders every member of the current epoch that is not gone to stop, and nudges their nodes. Locks nodes after members. */
export async function orderMembersToStop(tx: Tx, job: Pick<JobRow, 'id' | 'epoch'>, reason: string, graceMs: number): Promise<void> {
  const nodes = (await writeStopOrders(tx, job, reason, graceMs)).sort();
  if (nodes.length === 0) return;
  await sql`select id from node where id = any(${nodes}::text[]) order by id for no key update`.execute(tx);
  await sql`update node set generation = generation + 1 where id = any(${nodes}::text[])`.execute(tx);
  nudgeNodes(tx, nodes);
}
