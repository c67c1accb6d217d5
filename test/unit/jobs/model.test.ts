import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  endsInFailure, failureCategory, firstEpoch, isActive, isEnded, isPlaced, isWaiting, jobStates, moveOf, moves, nextEpoch, stateFromCounters, vacatedEnd,
  type AttemptCounters, type JobEvent, type JobState, type RetryState, type VacateReason,
} from '#services/jobs/model.ts';

/** The rows of design.md §4: event, every state it may come in, where it goes, and what becomes of the devices. */
const design: readonly (readonly [string, readonly string[], readonly string[], string])[] = [
  ['holdAccepted', ['SUBMITTED'], ['QUEUED'], 'none'],
  ['holdRefused', ['SUBMITTED'], ['REJECTED'], 'none'],
  ['cancelWaiting', ['SUBMITTED', 'QUEUED'], ['CANCELLED'], 'none'],
  ['queueDeadlinePassed', ['SUBMITTED', 'QUEUED'], ['FAILED'], 'none'],
  ['dependencyFailed', ['SUBMITTED', 'QUEUED'], ['FAILED'], 'none'],
  ['placed', ['QUEUED'], ['RESERVED'], 'held'],
  ['allAccepted', ['RESERVED'], ['STARTING'], 'held'],
  ['allReady', ['STARTING'], ['RUNNING'], 'held'],
  ['startTimedOut', ['RESERVED', 'STARTING'], ['VACATING'], 'held'],
  ['victimOrdered', ['RESERVED', 'STARTING', 'RUNNING'], ['VACATING'], 'held'],
  ['drained', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['moveOrdered', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['creditStopped', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['timeLimitReached', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['allSucceeded', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['SUCCEEDED'], 'released'],
  ['memberFailed', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['deathProven', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['nodeSilent', ['RESERVED', 'STARTING', 'RUNNING'], ['LOST'], 'held'],
  ['heardAgain', ['LOST'], ['RESERVED', 'STARTING', 'RUNNING'], 'held'],
  ['fencePassed', ['LOST'], ['VACATING'], 'held'],
  ['vacatedSucceeded', ['VACATING'], ['SUCCEEDED'], 'settled'],
  ['vacatedRequeued', ['VACATING'], ['QUEUED'], 'settled'],
  ['vacatedFailed', ['VACATING'], ['FAILED'], 'settled'],
  ['cancelActive', ['RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING'], ['CANCELLING'], 'held'],
  ['cancelFinished', ['CANCELLING'], ['CANCELLED'], 'settled'],
];

/**
 * Beyond the rows: the job stops when commits exist and none is readable (issue 3 E), and a refusal that comes in RUNNING
 * is "a member exits otherwise" with the budget of a refusal; after a restore a gang that agents run is taken over (P38).
 */
const beyond: typeof design = [
  ['checkpointsUnreadable', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['memberRefused', ['RESERVED', 'STARTING', 'RUNNING', 'LOST'], ['VACATING'], 'held'],
  ['takenOver', ['QUEUED', 'RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING'], ['RESERVED', 'STARTING', 'RUNNING'], 'held'],
];

describe('the table', () => {
  it('is exactly design.md §4', () => {
    const sorted = (rows: typeof design) => rows.map(([event, from, to, devices]) => ({ event, from: [...from].sort(), to: [...to].sort(), devices })).sort((a, b) => (a.event < b.event ? -1 : 1));
    expect(sorted(moves.map((move) => [move.event, move.from, move.to, move.devices]))).toEqual(sorted([...design, ...beyond]));
  });

  it.each(jobStates)('has a move out of %s for the declared events only', (state) => {
    for (const [event, from] of [...design, ...beyond]) expect(moveOf(state, event as JobEvent) !== undefined, `${event} out of ${state}`).toBe(from.includes(state));
  });

  it('has no way out of an end, and a way to one from everywhere else', () => {
    const ways = (state: JobState) => moves.filter((move) => (move.from as readonly JobState[]).includes(state)).flatMap((move) => [...move.to] as JobState[]);
    const reaches = (state: JobState, seen = new Set<JobState>()): boolean => isEnded(state) || (!seen.has(state) && ways(state).some((next) => reaches(next, new Set([...seen, state]))));
    for (const state of jobStates) {
      if (isEnded(state)) expect(ways(state)).toEqual([]);
      else expect(reaches(state), state).toBe(true);
    }
  });

  it('sorts each state into waiting, active or ended; the placed ones are active', () => {
    for (const state of jobStates) {
      expect([isWaiting(state), isActive(state), isEnded(state)].filter(Boolean), state).toHaveLength(1);
      if (isPlaced(state)) expect(isActive(state)).toBe(true);
    }
  });
});

const counters = (change: Partial<AttemptCounters> = {}): AttemptCounters => ({ members: 4, accepted: 4, ready: 4, gone: 4, succeeded: 0, userFailed: 0, refused: 0, ...change });
const retry = (change: Partial<RetryState> = {}): RetryState =>
  ({ userFailures: 0, infrastructureFailures: 0, userFailuresMax: 2, infrastructureFailuresMax: 3, backoffSeconds: 5, backoffMaxSeconds: 60, ...change });
const reasons: readonly VacateReason[] = ['memberFailed', 'lost', 'startTimeout', 'refused', 'preempt', 'drain', 'move', 'timeLimit', 'credit', 'noReadableCheckpoint'];
const all = counters({ succeeded: 4 });

describe('how a vacated epoch ends', () => {
  it('P17 lost never ends SUCCEEDED, though all exited 0', () => {
    expect(vacatedEnd('lost', all, retry())).toMatchObject({ event: 'vacatedRequeued', category: 'infrastructure' });
  });

  it.each(reasons.filter((reason) => reason !== 'lost'))('%s ends SUCCEEDED where all exited 0', (reason) => {
    expect(vacatedEnd(reason, all, retry())).toEqual({ event: 'vacatedSucceeded' });
  });

  it.each(['timeLimit', 'credit', 'noReadableCheckpoint'] as const)('P29 %s ends FAILED, whatever budget is left, and draws on none', (reason) => {
    expect(endsInFailure(reason)).toBe(true);
    expect(vacatedEnd(reason, counters(), retry())).toEqual({ event: 'vacatedFailed', category: 'none' });
  });

  it.each(['preempt', 'drain', 'move'] as const)('%s draws on no budget and has no back-off', (reason) => {
    expect(vacatedEnd(reason, counters(), retry({ userFailures: 2, infrastructureFailures: 3 }))).toEqual({ event: 'vacatedRequeued', category: 'none', backoffSeconds: 0 });
  });

  it.each(['lost', 'startTimeout', 'refused', 'memberFailed'] as const)('%s without an exit of a member draws on the infrastructure budget', (reason) => {
    expect(vacatedEnd(reason, counters(), retry({ infrastructureFailures: 2 }))).toMatchObject({ event: 'vacatedRequeued', category: 'infrastructure' });
    expect(vacatedEnd(reason, counters(), retry({ infrastructureFailures: 3 }))).toEqual({ event: 'vacatedFailed', category: 'infrastructure' });
  });

  it.each(reasons.filter((reason) => !endsInFailure(reason)))('an exit before the stop makes %s draw on the user budget, and on no other', (reason) => {
    const failed = counters({ userFailed: 1 });
    expect(failureCategory(reason, failed)).toBe('user');
    expect(vacatedEnd(reason, failed, retry({ infrastructureFailures: 3, userFailures: 1 }))).toMatchObject({ event: 'vacatedRequeued', category: 'user' });
    expect(vacatedEnd(reason, failed, retry({ userFailures: 2 }))).toEqual({ event: 'vacatedFailed', category: 'user' });
  });

  it('a budget of zero fails at the first failure', () => {
    expect(vacatedEnd('lost', counters(), retry({ infrastructureFailuresMax: 0 }))).toEqual({ event: 'vacatedFailed', category: 'infrastructure' });
  });

  it('the back-off doubles with each failure of its category, up to its bound', () => {
    const seconds = (infrastructureFailures: number): unknown => vacatedEnd('lost', counters(), retry({ infrastructureFailures, infrastructureFailuresMax: 1_000, userFailures: 2 }));
    expect([0, 1, 2, 3, 4, 999].map(seconds)).toEqual([5, 10, 20, 40, 60, 60].map((backoffSeconds) => ({ event: 'vacatedRequeued', category: 'infrastructure', backoffSeconds })));
  });
});

describe('P15 the state of a placed job', () => {
  it('follows from its counters alone', () => {
    fc.assert(fc.property(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 5 }), (accepted, ready, members) => {
      const state = stateFromCounters(counters({ members, accepted: Math.min(accepted, members), ready: Math.min(ready, members) }));
      expect(state).toBe(accepted < members ? 'RESERVED' : ready < members ? 'STARTING' : 'RUNNING');
    }));
  });
});

describe('epochs', () => {
  it('rise by one within an incarnation and start above all of an older one', () => {
    expect(firstEpoch(1)).toBe(4_294_967_297n);
    expect(nextEpoch(0n, 1)).toBe(firstEpoch(1));
    expect(nextEpoch(firstEpoch(1), 1)).toBe(firstEpoch(1) + 1n);
    expect(nextEpoch(firstEpoch(1) + 41n, 2)).toBe(firstEpoch(2));
    expect(firstEpoch(2_000_000)).toBeLessThan(1n << 63n);
  });

  it('always rise', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 1n << 50n }), fc.integer({ min: 1, max: 2_000_000 }), (current, incarnation) => {
      expect(nextEpoch(current, incarnation)).toBeGreaterThan(current);
    }));
  });
});
