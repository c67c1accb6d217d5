import { wakeReadersBy } from '../events/append.ts';
import { outboxWakeSubject } from '../events/model.ts';
import { subjects } from '../fleet/model.ts';
import { nudgeBy } from '../fleet/nudge.ts';
import type { Bus } from '../platform/nats/bus.ts';

/** Processes that commit say so over NATS: readers of the outbox wake, agents beat sooner. */
export function wakeAndNudgeOver(bus: Bus): void {
  wakeReadersBy(() => bus.publish(outboxWakeSubject, null));
  nudgeBy((nodeId) => bus.publish(subjects.nudge(nodeId), null));
}
