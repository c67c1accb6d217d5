/** Handles dead letters again, after an operator has asked for it. */
import { isAway } from '../platform/away.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { Latch } from '../platform/latch.ts';
import type { Log } from '../platform/log.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { forgetHandled, markDead, markHandled, redriveWakeSubject, takeRedriven } from './dead-letters.ts';
import type { EventMessage } from './message.ts';

export interface RedriveOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly log: Log;
  readonly config: Pick<Config, 'pollMs'>;
  readonly consumer: string;
  readonly signal: AbortSignal;
}

/** Until the signal: one after the other, oldest first. What fails again is dead again, with its new error. */
export async function followRedriven(options: RedriveOptions, handle: (message: EventMessage) => Promise<void>): Promise<void> {
  const { bus, config, log, signal } = options;
  const woken = new Latch();
  const wakes = bus.listen(redriveWakeSubject, () => woken.open());
  while (!signal.aborted) {
    await handleRedriven(options, handle).catch((error: unknown) => {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'redriving dead letters was interrupted; trying again');
    });
    await woken.wait(config.pollMs, signal);
  }
  await wakes.close();
}

async function handleRedriven({ db, log, consumer, signal }: RedriveOptions, handle: (message: EventMessage) => Promise<void>): Promise<void> {
  for (const letter of await takeRedriven(db, consumer)) {
    if (signal.aborted) return;
    try {
      await forgetHandled(db, letter);
      await handle(letter.message);
      await markHandled(db, letter.id);
      log.info({ deadLetter: letter.id, key: letter.message.key }, 'dead letter handled');
    } catch (error) {
      if (isAway(error)) throw error;
      await markDead(db, letter.id, error instanceof Error ? error.message : String(error));
      log.warn({ deadLetter: letter.id, key: letter.message.key, error: error instanceof Error ? error.message : String(error) }, 'dead letter failed again');
    }
  }
}
