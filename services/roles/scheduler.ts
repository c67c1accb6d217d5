/** The scheduler role: one process plans and commits placements, any number stand by to take over. */
import { hostname } from 'node:os';
import { openEventSource } from '../events/source.ts';
import { openOnWakes } from '../events/wake.ts';
import { systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { Latch } from '../platform/latch.ts';
import { leadWhenever } from '../platform/leader.ts';
import { connectControl, type Bus } from '../platform/nats/bus.ts';
import { leadScheduling } from '../scheduler/lead.ts';
import { leaderName } from '../scheduler/model.ts';
import { wakeAndNudgeOver } from './wake.ts';
import { runProcess, type Role } from './process.ts';

export async function runScheduler(role: Role): Promise<void> {
  const { config, db, log, signal, onReady } = role;
  const woken = new Latch();
  const bus = listenForWakes(role, woken);
  onReady?.();
  await leadWhenever(
    db,
    { name: leaderName, holder: `${hostname()}/${process.pid}/${newId('req')}`, leaseMs: config.leaderLeaseMs, log, signal },
    (leadership) => leadScheduling({ db, events: openEventSource(db), clock: systemClock, log, config, woken }, leadership),
  );
  await (await bus)?.close();
}

/** Beside the work, not before it: while NATS is away jobs are placed all the same, at the pace of the poll. */
async function listenForWakes({ config, log, signal }: Role, woken: Latch): Promise<Bus | undefined> {
  try {
    const bus = await connectControl(config, log, 'scheduler', signal);
    wakeAndNudgeOver(bus);
    openOnWakes(bus, woken);
    return bus;
  } catch (error) {
    if (!signal.aborted) log.error({ error: error instanceof Error ? error.message : String(error) }, 'no wake-ups over NATS; polling');
    return undefined;
  }
}

if (import.meta.main) await runProcess('scheduler', runScheduler);
