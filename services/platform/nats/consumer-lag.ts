/** How far a durable consumer of the event stream is behind. */
import { connectionOf, type Bus } from './bus.ts';
import { durableName, eventStreamName } from './streams.ts';

const infoTimeoutMs = 1_000;

/** @returns messages not delivered yet, and those in hand. @throws Error while NATS is away, or before the consumer was made */
export async function consumerLag(bus: Bus, scope: string, consumer: string): Promise<number> {
  if (!bus.connected()) throw new Error('NATS is away');
  const manager = await connectionOf(bus).jetstreamManager({ timeout: infoTimeoutMs, checkAPI: false });
  const { num_pending: pending, num_ack_pending: inHand } = await manager.consumers.info(eventStreamName(scope), durableName(scope, consumer));
  return pending + inHand;
}
