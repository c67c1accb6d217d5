import { wakeReadersOver } from '../events/wake.ts';
import { subjects } from '../fleet/model.ts';
import { nudgeBy } from '../fleet/nudge.ts';
import { connectControl, type Bus } from '../platform/nats/bus.ts';
import type { Role } from './process.ts';

/** Processes that commit say so over NATS: readers of the outbox wake, agents beat sooner. */
export function wakeAndNudgeOver(bus: Bus): void {
  wakeReadersOver(bus);
  nudgeBy((nodeId) => bus.publish(subjects.nudge(nodeId), null));
}

/**
 * Connects beside the role's work, not before it: while NATS is away readers poll and agents hear at their next beat.
 *
 * @param onConnected  what else the role does with its connection
 */
export async function wakeWhenConnected({ config, log, signal }: Role, name: string, onConnected: (bus: Bus) => void = () => undefined): Promise<Bus | undefined> {
  try {
    const bus = await connectControl(config, log, name, signal);
    wakeAndNudgeOver(bus);
    onConnected(bus);
    return bus;
  } catch (error) {
    if (!signal.aborted) log.error({ error: error instanceof Error ? error.message : String(error) }, 'no wake-ups over NATS; readers poll');
    return undefined;
  }
}
