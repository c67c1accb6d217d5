import { commitCheckpoint } from '../checkpoints/commit.ts';
import { reportShards } from '../checkpoints/report-shards.ts';
import { checkpointDir, type CommitVerdict, type ReportVerdict } from '../checkpoints/model.ts';
import type { Config } from '../platform/config.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { Bus, Subscription } from '../platform/nats/bus.ts';
import { parseCall } from './call-schema.ts';
import { isFrozen, runsMember } from './call-store.ts';
import { subjects, type AgentCall, type AgentCallReply } from './model.ts';

export type CallConfig = Pick<Config,
  'callsInFlightMax' | 'callBytesMax' | 'uncommittedCheckpointStepsMax' | 'checkpointShardSetsKept' | 'checkpointManifestsKept'>;

/**
 * Answers `agent.<node>.call`. Every call may be repeated: the agent asks again while it gets `unavailable` or nothing.
 */
export function answerCalls(bus: Bus, db: Db, config: CallConfig, log: Log): Subscription {
  return bus.respond(subjects.allCalls, async (value, subject) => {
    const node = subject.split('.')[1] ?? '';
    try {
      return await answerCall(db, node, value, config);
    } catch (error) {
      log.warn({ node, error: error instanceof Error ? error.message : String(error) }, 'a call was not taken');
      return { ok: false, code: 'unavailable', detail: 'the control plane can not take the call now' } satisfies AgentCallReply;
    }
  }, { inFlightMax: config.callsInFlightMax, bytesMax: config.callBytesMax });
}

/**
 * One call of one node, in one transaction.
 *
 * @param node   that the subject names, so the one that logged in
 * @param value  what it sent, of any shape
 */
export async function answerCall(db: Db, node: string, value: unknown, config: CallConfig): Promise<AgentCallReply> {
  const call = parseCall(value);
  if (typeof call === 'string') return invalid(call);
  return inTransaction(db, async (tx) => {
    // A gang that a restore has forgotten is no stranger until the thaw has looked at it (P38): its program must not be told to stop.
    if (await isFrozen(tx)) return { ok: false, code: 'unavailable', detail: 'a restore is being reconciled' };
    if (!await runsMember(tx, node, call.credentialVersion, call.member)) return invalid(`${node} runs no rank ${call.member.rank} of epoch ${call.member.epoch} of this job, or credential version ${call.credentialVersion} is not in force`);
    return call.op === 'shards' ? report(tx, node, call, config) : commit(tx, call, config);
  });
}

const invalid = (detail: string): AgentCallReply => ({ ok: false, code: 'invalid', detail });

async function report(tx: Tx, node: string, call: AgentCall & { op: 'shards' }, config: CallConfig): Promise<AgentCallReply> {
  const verdict: ReportVerdict = await reportShards(tx, { node, member: call.member, step: BigInt(call.step), files: call.files }, config);
  switch (verdict.kind) {
    case 'reported':
    case 'already': return { ok: true, step: call.step };
    case 'fenced': return { ok: false, code: 'checkpoint_fenced', detail: verdict.detail };
    case 'refused': return invalid(verdict.detail);
  }
}

async function commit(tx: Tx, call: AgentCall & { op: 'commit' }, config: CallConfig): Promise<AgentCallReply> {
  const { member, step, reach, layout, dataPosition } = call;
  if (member.rank !== 0) return invalid('rank 0 alone commits');
  if (call.dir !== checkpointDir(member.job, member.epoch)) return invalid('the folder is not the one of this epoch');
  const verdict: CommitVerdict = await commitCheckpoint(tx, { member, step: BigInt(step), reach, layout, dataPosition }, config);
  switch (verdict.kind) {
    case 'committed':
    case 'already': return { ok: true, checkpoint: verdict.checkpoint, step };
    case 'fenced': return { ok: false, code: 'checkpoint_fenced', detail: verdict.detail };
    case 'incomplete': return { ok: false, code: 'checkpoint_incomplete', detail: `no shards of step ${step} from ${ranksInWords(verdict.missingRanks)}` };
    case 'notNewer': return { ok: false, code: 'checkpoint_step_not_newer', detail: `step ${verdict.currentStep} is the last one` };
  }
}

const ranksNamedMax = 8;

function ranksInWords(ranks: readonly number[]): string {
  const named = ranks.slice(0, ranksNamedMax).join(', ');
  return ranks.length > ranksNamedMax ? `${ranks.length} ranks: ${named} …` : `rank ${named}`;
}
