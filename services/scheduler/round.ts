/**
 * One round: who starts now, and why the others wait. Pure: no clock, no input or output; same state, same plan (law 12).
 *
 * Higher priority first, then submit time; a job that doesn't fit does not hold back later ones, so a smaller or lower
 * one may start before it (reservations, which protect large gangs from that, are a rule of their own). One question a
 * shape: what is free only shrinks within a round, so a shape that was refused is not asked again, whatever its priority.
 */
import { explain, gateOf } from './explain.ts';
import { Turns } from './order.ts';
import { place } from './place.ts';
import { FreeCapacity } from './capacity.ts';
import type { Placement, Reason, RoundPlan, RoundState, RoundTrace } from './model.ts';

export interface RoundOptions {
  /** ends the round once that many members are placed; a gang is never cut */
  readonly membersMax: number;
}

export function round(state: RoundState, { membersMax }: RoundOptions): RoundPlan {
  const free = new FreeCapacity(state.nodes.values());
  const turns = new Turns(state.buckets.values());
  const placements: Placement[] = [];
  const reasons = new Map<string, Reason>();
  const refused = new Map<string, Reason>();
  const trace: RoundTrace = { bucketsVisited: 0, fitChecks: 0, nodesVisited: 0, jobsPlaced: 0, membersPlaced: 0 };

  for (let turn = turns.next(); turn; turn = turns.next()) {
    if (trace.membersPlaced >= membersMax) return { placements, reasons, more: true, trace };
    const { bucket } = turn;
    const job = bucket.jobs[turn.at]!;
    if (turn.at === 0) trace.bucketsVisited++;

    const gate = gateOf(job, state, state.unsupervisedStartsMax - state.unsupervisedStarts - placements.length);
    const reason = gate ?? refused.get(bucket.shapeKey);
    if (reason) {
      reasons.set(bucket.key, reason);
      continue;
    }
    const offered = Array.from(free.for(job));
    const members = place(job, offered, trace);
    if (!members) {
      const why = explain(job, state, offered);
      refused.set(bucket.shapeKey, why);
      reasons.set(bucket.key, why);
      continue;
    }
    const placement = { job, members };
    free.take(placement);
    placements.push(placement);
    trace.jobsPlaced++;
    trace.membersPlaced += members.length;
    turns.placed(turn);
  }
  return { placements, reasons, more: false, trace };
}
