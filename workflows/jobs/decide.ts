/** What a run does next, from the row as it stands: nothing here is remembered between two wakes (P29). Pure. */
import { endsInFailure, type JobEvent, type SupervisionView, type VacateReason } from '#services/jobs/model.ts';

export type Step =
  /** until a signal or the next deadline */
  | { readonly kind: 'wait' }
  /** nothing of this epoch is left to supervise */
  | { readonly kind: 'done' }
  | { readonly kind: 'vacate'; readonly event: JobEvent; readonly reason: VacateReason }
  | { readonly kind: 'succeed' }
  | { readonly kind: 'fence' }
  | { readonly kind: 'end' };

export function decide(view: SupervisionView): Step {
  if (view.frozen) return { kind: 'wait' }; // P35: while a restore is reconciled, rows may be older than the world
  switch (view.state) {
    case 'SUBMITTED':
    case 'QUEUED':
    case 'SUCCEEDED':
    case 'FAILED':
    case 'CANCELLED':
    case 'REJECTED':
      return { kind: 'done' };
    case 'RESERVED':
    case 'STARTING':
      return placedStep(view) ?? (view.startDue ? { kind: 'vacate', event: 'startTimedOut', reason: 'startTimeout' } : { kind: 'wait' });
    case 'RUNNING':
      return placedStep(view) ?? { kind: 'wait' };
    case 'LOST':
      return placedStep(view) ?? (view.fenceDue ? { kind: 'fence' } : { kind: 'wait' });
    case 'VACATING':
      if (timeLimitReplaces(view)) return { kind: 'vacate', event: 'timeLimitReached', reason: 'timeLimit' };
      return view.endDue ? { kind: 'end' } : { kind: 'wait' };
    case 'CANCELLING':
      return view.endDue ? { kind: 'end' } : { kind: 'wait' };
    default:
      return unknownState(view.state);
  }
}

/** The rules that hold wherever the gang is placed; undefined where none of them calls for anything. */
function placedStep(view: SupervisionView): Step | undefined {
  const { counters } = view;
  if (view.checkpointsUnreadable) return { kind: 'vacate', event: 'checkpointsUnreadable', reason: 'noReadableCheckpoint' };
  // A member that is gone without an exit of 0 and without a refusal has failed, whether or not its exit is known.
  if (counters.userFailed > 0 || counters.gone > counters.succeeded + counters.refused) {
    return { kind: 'vacate', event: 'memberFailed', reason: 'memberFailed' };
  }
  if (counters.refused > 0) return { kind: 'vacate', event: 'memberRefused', reason: 'refused' };
  if (counters.succeeded === counters.members) return { kind: 'succeed' };
  if (view.timeLimitDue) return { kind: 'vacate', event: 'timeLimitReached', reason: 'timeLimit' };
  return undefined;
}

/**
 * P29: the time limit takes the place of a reason that would requeue. Not of `lost`: the row must keep saying that the
 * epoch lost its right to publish (P17); the limit then meets the next epoch at its first reading.
 */
function timeLimitReplaces(view: SupervisionView): boolean {
  return view.timeLimitDue && view.vacateReason !== null && view.vacateReason !== 'lost' && !endsInFailure(view.vacateReason);
}

function unknownState(state: never): never {
  throw new Error(`a job state that this code does not know: ${String(state)}`);
}
