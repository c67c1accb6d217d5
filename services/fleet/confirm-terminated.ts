import { appendEvent } from '../events/append.ts';
import { lockJobs } from '../jobs/lock.ts';
import { observeMembers } from '../jobs/observe.ts';
import type { VacateConfig } from '../jobs/vacate.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { lockForNews, nodeChanged } from '../scheduler/allocations.ts';
import { isOverBoot, lockNode, membersOfBoot, readNode, setDead, type BootMember } from './node-store.ts';
import { unknownNode } from './nodes.ts';
import { supersedeBoot } from './store.ts';

export interface Termination {
  readonly node: string;
  /** the boot that is over; another boot of the same node is not touched */
  readonly bootId: string;
  /** who says so and why; kept beside the boot */
  readonly proof: string;
}

/**
 * An operator's or provider's word that a boot of a node is over (P31): its processes are gone, so what was fenced is
 * freed (law 4), and the boot never takes work again, whatever it may still report. Repeating it settles what came to
 * it meanwhile.
 *
 * @returns members that are gone by this proof
 * @throws `node_not_found` 404 · `boot_unknown` 409 · `node_version_lost` 409, when the node was given work at that moment
 */
export async function confirmTerminated(tx: Tx, { node, bootId, proof }: Termination, config: VacateConfig): Promise<BootMember[]> {
  const members = await membersToSettle(tx, node, bootId);
  await settle(tx, node, members, bootId, proof, config);
  const locked = await lockNode(tx, node) ?? unknownNode(node);
  if ((await membersOfBoot(tx, node, bootId)).length > 0) throw problem('node_version_lost', { node });
  await supersedeBoot(tx, node, bootId, proof);
  if (locked.boot_id === bootId && locked.state !== 'DEAD') await appendEvent(tx, nodeChanged(node, await setDead(tx, node)));
  return members;
}

/**
 * What `confirmTerminated` would count as gone.
 *
 * @throws `node_not_found` 404 · `boot_unknown` 409: a typing error must not declare a live machine dead
 */
export async function membersToSettle(tx: Tx, node: string, bootId: string): Promise<BootMember[]> {
  const found = await readNode(tx, node) ?? unknownNode(node);
  const members = await membersOfBoot(tx, node, bootId);
  const isKnown = found.boot_id === bootId || members.length > 0 || await isOverBoot(tx, node, bootId);
  if (!isKnown) throw problem('boot_unknown', { node, current: found.boot_id });
  return members;
}

/** Jobs before nodes, all in one order (design.md §3.4). */
async function settle(tx: Tx, node: string, members: readonly BootMember[], bootId: string, detail: string, config: VacateConfig): Promise<void> {
  const jobs = await lockJobs(tx, [...new Set(members.map((member) => member.job))]);
  if (members.length > 0) await lockForNews(tx, [...jobs.keys()], node, true);
  const epochs = Map.groupBy(members, (member) => `${member.job} ${member.epoch}`);
  for (const own of epochs.values()) {
    const first = own[0] as BootMember;
    const job = jobs.get(first.job);
    if (!job) continue;
    const seen = own.map((member) => ({ job: member.job, epoch: member.epoch.toString(), rank: member.rank, state: 'proof', detail }) as const);
    jobs.set(job.id, await observeMembers(tx, job, first.epoch, bootId, seen, config));
  }
}
