/** The scheduler role: one process plans and commits placements, any number stand by to take over. */
import { hostname } from 'node:os';
import { openEventSource } from '../events/source.ts';
import { openOnWakes } from '../events/wake.ts';
import { systemClock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { Latch } from '../platform/latch.ts';
import { leadWhenever } from '../platform/leader.ts';
import { leadScheduling } from '../scheduler/lead.ts';
import { leaderName } from '../scheduler/model.ts';
import { measureRound } from './measure.ts';
import { runProcess, type Role } from './process.ts';
import { wakeWhenConnected } from './wake.ts';

export async function runScheduler(role: Role): Promise<void> {
  const { config, db, log, signal, onReady } = role;
  const woken = new Latch();
  const bus = wakeWhenConnected(role, 'scheduler', (connected) => openOnWakes(connected, woken));
  onReady?.();
  await leadWhenever(
    db,
    { name: leaderName, holder: `${hostname()}/${process.pid}/${newId('req')}`, leaseMs: config.leaderLeaseMs, log, signal },
    (leadership) => leadScheduling({ db, events: openEventSource(db), clock: systemClock, log, config, woken, onRound: measureRound }, leadership),
  );
  await (await bus)?.close();
}

if (import.meta.main) await runProcess('scheduler', runScheduler);
