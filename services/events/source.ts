/** The outbox as a reader sees it: numbered on demand, read in order. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../platform/db.ts';
import type { SequencedEvent } from './model.ts';
import { lastPosition, readEvents } from './read.ts';
import { sequenceOnce } from './sequence.ts';

export interface EventSource {
  /** the last position given so far */
  position(): Promise<bigint>;
  /** Numbers what has no position yet; then the next rows after `pos`, in order, at most `limit`. @throws `gone` 410 */
  after(pos: bigint, limit: number): Promise<readonly SequencedEvent[]>;
}

/** A sequencer at work is done within that; asked again a few times, it is not waited for longer than a slow commit. */
const busyWaitMs = 4;
const busyTriesMax = 50;

export function openEventSource(db: Db): EventSource {
  return {
    position: () => lastPosition(db),
    async after(pos, limit) {
      await sequence(db);
      return readEvents(db, pos, limit);
    },
  };
}

/**
 * Numbers all that is visible, or waits for whoever does: a reader that was woken and read beside a sequencer that has
 * not committed would see nothing, and wait for its poll.
 */
async function sequence(db: Db): Promise<void> {
  for (let tries = 0; tries < busyTriesMax; ) {
    const outcome = await sequenceOnce(db);
    if (outcome.kind === 'numbered' && !outcome.more) return;
    if (outcome.kind === 'numbered') continue;
    tries += 1;
    await delay(busyWaitMs * (0.5 + Math.random()));
  }
}
