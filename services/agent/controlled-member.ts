/** What a member's program may do through its control socket. */
import path from 'node:path';
import { checkpointDir } from '#services/checkpoints/model.ts';
import type { AgentCallReply, MemberProgress, ShardFact } from '#services/fleet/model.ts';
import type { CallControlPlane } from './calls.ts';
import { inspectShards, ShardRefused } from './checkpoints.ts';
import { ControlProblem } from './control-problem.ts';
import type { CommitRequest, MemberView, ShardsRequest } from './control-requests.ts';
import type { ControlledMember } from './control.ts';
import type { Member } from './member.ts';

export interface ControlSite {
  readonly checkpointRoot: string;
  readonly checkpointReach: 'node' | 'shared';
  readonly callTimeoutMs: number;
  readonly call: CallControlPlane;
  /** tells the control plane soon */
  readonly changed: () => void;
}

export function controlledMember(member: Member, site: ControlSite): ControlledMember {
  const dir = checkpointDir(member.key.job, member.key.epoch);
  return {
    view: () => viewOf(member, site.checkpointRoot),
    waitForStop: (waitMs, signal) => waitForStop(member, waitMs, signal),
    markReady(): void {
      if (member.isReady) return;
      member.folder.recordReady();
      member.isReady = true;
      site.changed();
    },
    setProgress(progress: MemberProgress): void { member.progress = progress; },
    async reportShards({ step, files }: ShardsRequest): Promise<{ step: number; files: ShardFact[] }> {
      const facts = await inspectShards(path.join(site.checkpointRoot, dir), files).catch(refuseShard);
      unwrap(await member.track(site.call({ op: 'shards', member: member.key, step, files: facts }, { waitMs: 0, timeoutMs: site.callTimeoutMs })));
      return { step, files: facts };
    },
    async commit({ step, layout, dataPosition, waitMs }: CommitRequest): Promise<{ checkpoint: string; step: number }> {
      if (member.key.rank !== 0) throw new ControlProblem('forbidden', 'only rank 0 commits a checkpoint');
      const reply = unwrap(await member.track(site.call(
        { op: 'commit', member: member.key, step, dir, reach: site.checkpointReach, layout, dataPosition },
        { waitMs, timeoutMs: site.callTimeoutMs },
      )));
      return { checkpoint: reply.checkpoint ?? '', step: reply.step };
    },
  };
}

function viewOf({ key, record, stop }: Member, checkpointRoot: string): MemberView {
  const resume = record?.resume ?? null;
  return {
    job: key.job, epoch: key.epoch, rank: key.rank, worldSize: record?.worldSize ?? 1,
    state: stop ? 'stopping' : 'running',
    stop: stop ? { reason: stop.reason, deadlineAt: stop.deadlineAt } : null,
    resume: resume && { checkpoint: resume.checkpoint, step: resume.step, dir: path.join(checkpointRoot, resume.dir) },
  };
}

function waitForStop(member: Member, waitMs: number, signal: AbortSignal): Promise<void> {
  if (member.stop || waitMs === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      ignore();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    const ignore = member.onStop(end);
    signal.addEventListener('abort', end);
  });
}

function refuseShard(error: unknown): never {
  if (!(error instanceof ShardRefused)) throw error;
  throw new ControlProblem('checkpoint_shard_refused', error.message, [{ pointer: `/files/${error.index}`, detail: error.message }]);
}

function unwrap(reply: AgentCallReply): Extract<AgentCallReply, { ok: true }> {
  if (reply.ok) return reply;
  throw new ControlProblem(reply.code === 'invalid' ? 'invalid_request' : reply.code, reply.detail);
}
