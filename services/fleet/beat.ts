/**
 * One heartbeat, one transaction: is it current, what does it tell of members, the lease, and the answer (design.md
 * §3.2, P1–P11, P14). A quiet beat costs four statements and no job lock.
 */
import { observeMembers, isNews, type Seen } from '../jobs/observe.ts';
import { lockJobs } from '../jobs/lock.ts';
import { hearJob } from '../jobs/silence.ts';
import type { JobRow, MemberRow } from '../jobs/store.ts';
import { appendEvent } from '../events/append.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { liftFenceCordons, lockForNews, nodeChanged } from '../scheduler/allocations.ts';
import { adoptNode, isAdoptionDue } from './adopt.ts';
import { ordersOf } from './answer.ts';
import { mayCarry, turnCredential } from './rotation.ts';
import type { Answer, Beat, BeatRefusal, MemberKey, MemberObservation, StopItem } from './model.ts';
import { issueSession, liveMembersOf, lostJobsOn, markBeat, noteOrders, readSpeaker, supersedeBoot, writeFacts, type Speaker } from './store.ts';

export type BeatConfig = Pick<Config, 'leaseTtlMs' | 'heartbeatMs' | 'killGraceMs' | 'lostGraceMs' | 'logBytesMaxPerMember' | 'launchBytesMaxPerAnswer' | 'ticketDeadlineMs' | 'secretKeys'>;

class NotCurrent extends Error {}

/** @returns the answer, or why nothing was changed */
export async function receiveBeat(db: Db, beat: Beat, config: BeatConfig): Promise<Answer | BeatRefusal> {
  try {
    return await inTransaction(db, async (tx) => {
      const speaker = await readSpeaker(tx, beat.node, beat.bootId);
      return refusalOf(speaker, beat) ?? await answer(tx, speaker as Speaker, beat, config);
    });
  } catch (error) {
    if (error instanceof NotCurrent) return { refused: 'stale', detail: 'a newer beat of this node was taken meanwhile' };
    throw error;
  }
}

function refusalOf(speaker: Speaker | undefined, beat: Beat): BeatRefusal | undefined {
  if (!speaker) return { refused: 'unknown_node', detail: `no node ${beat.node} is enrolled` };
  if (beat.clusterId !== null && beat.clusterId !== speaker.cluster_id) return { refused: 'invalid', detail: 'the agent belongs to another cluster' };
  if (beat.incarnation > speaker.incarnation) {
    return { refused: 'invalid', detail: `the agent has seen life ${beat.incarnation} of this database, which is at ${speaker.incarnation}: it was put back without muster restore` };
  }
  if (speaker.revoked_at !== null || !mayCarry(speaker, beat.credentialVersion)) {
    return { refused: 'credential_revoked', detail: `credential version ${beat.credentialVersion} is not valid; enrol the node again` };
  }
  const session = BigInt(beat.session);
  if (session !== 0n && (session < speaker.session || (session === speaker.session && BigInt(beat.sequence) <= speaker.sequence))) {
    return { refused: 'stale', detail: `session ${beat.session} beat ${beat.sequence} is not newer than ${speaker.session} beat ${speaker.sequence}` };
  }
  return undefined;
}

async function answer(tx: Tx, speaker: Speaker, beat: Beat, config: BeatConfig): Promise<Answer> {
  const base = {
    clusterId: speaker.cluster_id, incarnation: speaker.incarnation, session: beat.session, echo: beat.sequence,
    leaseTtlMs: config.leaseTtlMs, heartbeatMs: config.heartbeatMs,
  };
  if (beat.session === '0') {
    const session = await issueSession(tx, beat.node, speaker.incarnation);
    return { ...base, session: session.toString(), hello: true, generation: speaker.generation.toString(), run: [], stop: [], ack: [] };
  }
  if (speaker.boot_is_over) {
    const stop = beat.members.filter(isAlive).map((member) => strayStop(member, 'this boot was declared over', config));
    return { ...base, generation: speaker.generation.toString(), run: [], stop, ack: [] };
  }
  const isDue = isAdoptionDue(speaker);
  const isUnadopted = isDue && beat.incarnation < speaker.incarnation; // P36: nothing but its lease
  const before = await liveMembersOf(tx, beat.node);
  const lost = speaker.state === 'LIVE' ? [] : await lostJobsOn(tx, beat.node);
  const jobs = isUnadopted ? new Map<string, JobRow>() : isDue ? await adoptNode(tx, speaker, beat, before, config) : await takeNews(tx, speaker, beat, before, lost, config);
  const known = isDue ? await liveMembersOf(tx, beat.node) : before;
  const strays = straysOf(beat, known);
  if (!isUnadopted && known.some(isUnordered)) await noteOrders(tx, beat.node, beat.bootId, [...jobs.keys()]);
  const node = await takeNode(tx, speaker, beat, strays.length, config);
  await recover(tx, lost, jobs);
  const orders = isUnadopted || known.length === 0 && node.generation === speaker.generation ? { run: [], stop: [] } : await ordersOf(tx, beat.node, beat.bootId, config);
  const credential = await turnCredential(tx, speaker, beat);
  const straysToStop = speaker.frozen_at === null ? strays : []; // a restore of the wrong backup can still be repeated
  return {
    ...base, ...credential,
    generation: node.generation.toString(),
    run: orders.run,
    stop: [...orders.stop, ...straysToStop.map((member) => strayStop(member, 'superseded', config))],
    ack: isUnadopted ? [] : beat.members.filter((member) => !isAlive(member)).map(keyOf),
  };
}

const isAlive = (member: Pick<Seen, 'state'>): boolean => member.state === 'accepted' || member.state === 'ready';
const isUnordered = (row: MemberRow): boolean => row.ordered_boot_id === null && row.desired === 'run';
const keyOf = ({ job, epoch, rank }: MemberKey): MemberKey => ({ job, epoch, rank });
const sameMember = (row: MemberRow, key: MemberKey): boolean => row.job_id === key.job && row.rank === key.rank && row.epoch === BigInt(key.epoch);
const strayStop = (member: MemberKey, reason: string, config: BeatConfig): StopItem => ({ ...keyOf(member), reason, graceMs: config.lostGraceMs });

/** P11: reported alive, though no live row of this node says so. */
function straysOf(beat: Beat, known: readonly MemberRow[]): MemberObservation[] {
  return beat.members.filter((member) => isAlive(member) && !known.some((row) => sameMember(row, member)));
}

/**
 * Locks the jobs that the beat has news of, or orders for, in one order, and writes what was seen.
 *
 * @returns the locked jobs as they are now
 */
async function takeNews(tx: Tx, speaker: Speaker, beat: Beat, known: readonly MemberRow[], lost: readonly string[], config: BeatConfig): Promise<Map<string, JobRow>> {
  const news = new Map<string, Seen[]>();
  const note = (seen: Seen): void => {
    const key = `${seen.job} ${seen.epoch}`;
    news.set(key, [...(news.get(key) ?? []), seen]);
  };
  for (const row of known) {
    const seen = beat.members.find((member) => sameMember(row, member));
    const isOfOlderBoot = row.ordered_boot_id !== null && row.ordered_boot_id !== beat.bootId;
    if (isOfOlderBoot && seen?.state !== 'exited') { // P10; an exit that was written before the boot ended is still told
      note({ job: row.job_id, epoch: row.epoch.toString(), rank: row.rank, state: 'proof', detail: `${speaker.id} has booted anew` });
    } else if (seen && isNews(row, seen)) note(seen);
  }
  const told = [...news.values()].flat();
  const jobs = await lockJobs(tx, [...new Set([...told.map((seen) => seen.job), ...known.filter(isUnordered).map((row) => row.job_id), ...lost])]);
  const gone = told.filter((seen) => !isAlive(seen));
  if (gone.length > 0) await lockForNews(tx, [...new Set(gone.map((seen) => seen.job))], beat.node, gone.some((seen) => seen.state === 'proof'));
  for (const seen of news.values()) {
    const first = seen[0];
    const job = first && jobs.get(first.job);
    if (first && job) jobs.set(job.id, await observeMembers(tx, job, BigInt(first.epoch), beat.bootId, seen, config));
  }
  return jobs;
}

/** The node's own row, after jobs and members in the lock order. @throws NotCurrent */
async function takeNode(tx: Tx, speaker: Speaker, beat: Beat, strayMembers: number, config: BeatConfig) {
  const booted = speaker.boot_id !== null && speaker.boot_id !== beat.bootId;
  const changed = booted || speaker.boot_id === null || isAdoptionDue(speaker) || speaker.state !== 'LIVE' || speaker.stray_members !== strayMembers || beat.facts !== undefined;
  const node = await markBeat(tx, beat.node, {
    session: BigInt(beat.session), sequence: BigInt(beat.sequence), bootId: beat.bootId, incarnation: beat.incarnation,
    strayMembers, leaseTtlMs: config.leaseTtlMs, changed,
  });
  if (!node) throw new NotCurrent();
  if (booted && speaker.boot_id !== null) await supersedeBoot(tx, beat.node, speaker.boot_id, 'booted anew');
  if (beat.facts) await writeFacts(tx, beat.node, beat.facts);
  if (node.version !== speaker.version) await appendEvent(tx, nodeChanged(node.id, node.version));
  if (node.cordoned_by_fence) await liftFenceCordons(tx, [node.id]);
  return node;
}

/** LOST jobs that waited for this node go on, where it was the last one (P14). */
async function recover(tx: Tx, lost: readonly string[], jobs: ReadonlyMap<string, JobRow>): Promise<void> {
  for (const jobId of lost) {
    const job = jobs.get(jobId);
    if (job) await hearJob(tx, job);
  }
}
