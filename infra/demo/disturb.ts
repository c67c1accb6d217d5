/** The two things that go wrong in the demo: a member and the worker role are killed with SIGKILL. */
import type { Schema } from '#services/cli/client.ts';
import { stackStatus } from '../stack/status.ts';

export interface Disturbance {
  /** done when the job has got that far */
  readonly atShare: number;
  /** @returns what was done, or undefined where it can't be done yet */
  act(attempt: Schema<'Attempt'>): string | undefined;
}

const victimRank = 2;

export const disturbances = (home: string): Disturbance[] => [
  { atShare: 0.25, act: (attempt) => killMember(attempt) },
  { atShare: 0.6, act: () => killWorker(home) },
];

function killMember(attempt: Schema<'Attempt'>): string | undefined {
  const member = attempt.members.find(({ rank, state }) => rank === victimRank && state === 'ready');
  if (!member?.pid) return undefined;
  process.kill(member.pid, 'SIGKILL');
  return `kill -9 ${member.pid}: rank ${member.rank} on ${member.node}`;
}

function killWorker(home: string): string | undefined {
  const worker = stackStatus(home).view?.parts.find(({ name, state }) => name === 'worker' && state === 'ready');
  if (!worker?.pid) return undefined;
  process.kill(worker.pid, 'SIGKILL');
  return `kill -9 ${worker.pid}: the worker role, which supervises the job`;
}
