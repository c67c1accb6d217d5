import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isActive, isEnded, isWaiting, jobStates, moveOf, type AttemptCounters, type SupervisionView, type VacateReason } from '#services/jobs/model.ts';
import { decide } from '#workflows/jobs/decide.ts';
import { detailsOf, phaseOf } from '#workflows/jobs/details.ts';

const counters: AttemptCounters = { members: 4, accepted: 4, ready: 4, gone: 0, succeeded: 0, userFailed: 0, refused: 0 };
const running: SupervisionView = {
  jobId: 'job_1', name: 'digits', team: 'default', state: 'RUNNING', version: '5', epoch: '4294967297', incarnation: 1, frozen: false, counters,
  vacateReason: null, checkpointsUnreadable: false, startDue: false, timeLimitDue: false, fenceDue: false, endDue: false, nextDeadlineMs: null, waitingFor: 'members to exit',
};
const view = (change: Partial<SupervisionView>): SupervisionView => ({ ...running, ...change });
const counted = (change: Partial<AttemptCounters>): Pick<SupervisionView, 'counters'> => ({ counters: { ...counters, ...change } });
const placed = ['RESERVED', 'STARTING', 'RUNNING', 'LOST'] as const;

describe('what a run decides', () => {
  it.each(placed)('in %s nothing is done while nothing is due', (state) => {
    expect(decide(view({ state }))).toEqual({ kind: 'wait' });
  });

  it.each(placed)('in %s a failure comes before a refusal, both before the end and the time limit', (state) => {
    const all = { state, timeLimitDue: true };
    expect(decide(view({ ...all, ...counted({ gone: 2, userFailed: 1, refused: 1 }) }))).toMatchObject({ kind: 'vacate', reason: 'memberFailed' });
    expect(decide(view({ ...all, ...counted({ gone: 1, refused: 1 }) }))).toMatchObject({ kind: 'vacate', reason: 'refused' });
    expect(decide(view({ ...all, ...counted({ gone: 4, succeeded: 4 }) }))).toEqual({ kind: 'succeed' });
    expect(decide(view(all))).toMatchObject({ kind: 'vacate', reason: 'timeLimit' });
  });

  it.each(placed)('in %s a member that is gone with no exit known has failed', (state) => {
    expect(decide(view({ state, ...counted({ gone: 2, succeeded: 1 }) }))).toMatchObject({ kind: 'vacate', event: 'memberFailed' });
  });

  it.each(placed)('in %s unreadable checkpoints come first: no restart could do better', (state) => {
    expect(decide(view({ state, checkpointsUnreadable: true, ...counted({ gone: 1, userFailed: 1 }) }))).toMatchObject({ reason: 'noReadableCheckpoint' });
  });

  it('a gang of which some exited 0 goes on', () => {
    expect(decide(view(counted({ gone: 3, succeeded: 3 })))).toEqual({ kind: 'wait' });
  });

  it('the start time-out counts in RESERVED and STARTING, the fence in LOST', () => {
    const due = { startDue: true, fenceDue: true };
    expect(decide(view({ ...due, state: 'RESERVED' }))).toMatchObject({ reason: 'startTimeout' });
    expect(decide(view({ ...due, state: 'STARTING' }))).toMatchObject({ reason: 'startTimeout' });
    expect(decide(view({ ...due, state: 'RUNNING' }))).toEqual({ kind: 'wait' });
    expect(decide(view({ ...due, state: 'LOST' }))).toEqual({ kind: 'fence' });
  });

  it.each<VacateReason>(['memberFailed', 'startTimeout', 'refused', 'preempt', 'drain', 'move'])('P29 the time limit replaces %s', (vacateReason) => {
    const leaving = view({ state: 'VACATING', vacateReason, timeLimitDue: true, endDue: true });
    expect(decide(leaving)).toEqual({ kind: 'vacate', event: 'timeLimitReached', reason: 'timeLimit' });
    expect(decide(view({ ...leaving, vacateReason: 'timeLimit' }))).toEqual({ kind: 'end' });
  });

  it('P17 the time limit never hides that an epoch was lost', () => {
    expect(decide(view({ state: 'VACATING', vacateReason: 'lost', timeLimitDue: true }))).toEqual({ kind: 'wait' });
  });

  it('a cancel knows no time limit', () => {
    expect(decide(view({ state: 'CANCELLING', timeLimitDue: true }))).toEqual({ kind: 'wait' });
    expect(decide(view({ state: 'CANCELLING', timeLimitDue: true, endDue: true }))).toEqual({ kind: 'end' });
  });
});

const anyView: fc.Arbitrary<SupervisionView> = fc.record({
  state: fc.constantFrom(...jobStates),
  frozen: fc.boolean(), checkpointsUnreadable: fc.boolean(), startDue: fc.boolean(), timeLimitDue: fc.boolean(), fenceDue: fc.boolean(), endDue: fc.boolean(),
  vacateReason: fc.constantFrom<VacateReason | null>(null, 'memberFailed', 'lost', 'preempt', 'timeLimit', 'noReadableCheckpoint'),
  nextDeadlineMs: fc.option(fc.integer({ min: 1, max: 10_000 })),
  counters: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(4)).filter(([gone, ...parts]) => parts[0]! + parts[1]! + parts[2]! <= gone)
    .map(([gone, succeeded, userFailed, refused]) => ({ ...counters, gone, succeeded, userFailed, refused })),
}).map(view);

describe('whatever the row says', () => {
  it('a frozen cluster is waited for (P35)', () => {
    fc.assert(fc.property(anyView, (seen) => { expect(decide({ ...seen, frozen: true })).toEqual({ kind: 'wait' }); }));
  });

  it('a run ends exactly when the job waits or has ended', () => {
    fc.assert(fc.property(anyView, (seen) => {
      fc.pre(!seen.frozen);
      expect(decide(seen).kind === 'done').toBe(isWaiting(seen.state) || isEnded(seen.state));
    }));
  });

  it('it asks only for moves that the table has, or for a harder reason in VACATING', () => {
    fc.assert(fc.property(anyView, (seen) => {
      const step = decide(seen);
      if (step.kind === 'vacate' && seen.state !== 'VACATING') expect(moveOf(seen.state, step.event)).toBeDefined();
      if (step.kind === 'succeed') expect(moveOf(seen.state, 'allSucceeded')).toBeDefined();
      if (step.kind === 'fence') expect(moveOf(seen.state, 'fencePassed')).toBeDefined();
      if (step.kind === 'end') expect(['VACATING', 'CANCELLING']).toContain(seen.state);
    }));
  });

  it('its page names the state, the next step and a runbook, within 20 kB', () => {
    fc.assert(fc.property(anyView, (seen) => {
      const details = detailsOf(seen, decide(seen), 'connection refused');
      expect(details).toContain(`**${seen.state}**`);
      expect(details).toMatch(/next step: .+\n- last error: connection refused\n- runbook: docs\/operations\.md#[a-z-]+$/);
      expect(details.length).toBeLessThan(20_000);
      expect(phaseOf(seen) !== undefined).toBe(isActive(seen.state));
    }));
  });
});
