/** Stops: SIGTERM to everything of a member, the answer on its control socket, SIGKILL at the deadline. */
import { existsSync, writeFileSync } from 'node:fs';
import type { Member } from './member.ts';
import { monotonicMs } from './monotonic.ts';
import { signalMember } from './process-table.ts';

/**
 * Orders a member to stop. Told again it changes nothing, unless the new order leaves less time.
 *
 * @param graceMs  from now, the first sight of the order, to SIGKILL
 */
export function orderStop(member: Member, reason: string, graceMs: number): void {
  if (!member.record) {
    member.isCancelled = true;
    return;
  }
  const deadlineMonotonicMs = monotonicMs() + graceMs;
  if (member.stop && member.stop.deadlineMonotonicMs <= deadlineMonotonicMs) return;
  const order = { reason: member.stop?.reason ?? reason, deadlineMonotonicMs, deadlineAt: new Date(Date.now() + graceMs).toISOString() };
  member.folder.recordStop(order);
  member.setStop(order);
  enforceStop(member);
}

export const isStopDue = (member: Member): boolean =>
  member.stop !== undefined && monotonicMs() >= member.stop.deadlineMonotonicMs;

/** Does what the order says by now. A member whose process isn't known yet gets it as soon as it is. */
export function enforceStop(member: Member): void {
  if (!member.stop || !member.process) return;
  const { key, process, folder } = member;
  if (isStopDue(member)) {
    signalMember(key, process, 'SIGKILL');
  } else if (!existsSync(folder.at('terminated'))) {
    signalMember(key, process, 'SIGTERM');
    writeFileSync(folder.at('terminated'), ''); // a successor doesn't ask a second time: programs take that as "at once"
  }
}
