/** Checkpoint calls to the control plane: repeated within a bound, for training goes on while it is away (design.md §3.2). */
import { setTimeout as delay } from 'node:timers/promises';
import { subjects, type AgentCall, type AgentCallReply, type SignedCall } from '#services/fleet/model.ts';
import type { Bus } from '#services/platform/nats/bus.ts';

const requestTimeoutMs = 5_000;
const firstPauseMs = 50;
const pauseMaxMs = 1_000;

export interface CallBound {
  /** how long an `incomplete` is asked again: the other ranks' shards may be on their way */
  readonly waitMs: number;
  /** how long the control plane may be away, beyond `waitMs` */
  readonly timeoutMs: number;
}

export type CallControlPlane = (call: AgentCall, bound: CallBound) => Promise<AgentCallReply>;

/**
 * @param bus                the connection, or undefined while there is none
 * @param credentialVersion  of the credential in use
 */
export const callsOver = (node: string, bus: () => Bus | undefined, credentialVersion: () => number): CallControlPlane => async (call, bound) => {
  const startMs = performance.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    const reply = await ask(node, bus(), { ...call, credentialVersion: credentialVersion() });
    const passedMs = performance.now() - startMs;
    const limitMs = restMs(reply, bound);
    if (passedMs + pauseMs > limitMs) return reply;
    await delay(pauseMs);
  }
};

function restMs(reply: AgentCallReply, bound: CallBound): number {
  if (reply.ok) return 0;
  if (reply.code === 'checkpoint_incomplete') return bound.waitMs;
  return reply.code === 'unavailable' ? bound.waitMs + bound.timeoutMs : 0;
}

async function ask(node: string, bus: Bus | undefined, call: SignedCall): Promise<AgentCallReply> {
  const away = (detail: string): AgentCallReply => ({ ok: false, code: 'unavailable', detail });
  if (!bus) return away('the agent is not connected to the control plane');
  try {
    const reply = await bus.request(subjects.call(node), call, requestTimeoutMs);
    return isReply(reply) ? reply : away('the control plane gave an answer that is none');
  } catch (error) {
    return away(error instanceof Error ? error.message : String(error));
  }
}

const isReply = (value: unknown): value is AgentCallReply =>
  typeof value === 'object' && value !== null && 'ok' in value && (value.ok === true ? 'step' in value : 'code' in value);
