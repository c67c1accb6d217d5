import type { MemberKey, MemberLaunch } from '#services/fleet/model.ts';

/** What a program gets of the agent's own environment: enough to find programs, libraries and the locale, no secret. */
const inherited = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|LD_LIBRARY_PATH|CUDA_HOME|NCCL_.*|NVIDIA_.*)$/;

export interface Surroundings {
  readonly master: { readonly address: string; readonly port: number };
  readonly checkpointDir: string;
  readonly controlPath: string;
  /** absolute folder of the checkpoint to go on from */
  readonly resumeDir: string | null;
}

/** The environment of a member as torchrun gives it, and Muster's own. What the job sets itself never wins over these. */
export function memberEnvironment(key: MemberKey, launch: MemberLaunch, around: Surroundings, own: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const base = Object.entries(own).flatMap(([name, value]) => value !== undefined && inherited.test(name) ? [[name, value] as const] : []);
  return {
    ...Object.fromEntries(base),
    ...withoutResume(launch.env),
    RANK: String(key.rank),
    WORLD_SIZE: String(launch.worldSize),
    LOCAL_RANK: String(launch.localRank),
    MASTER_ADDR: around.master.address,
    MASTER_PORT: String(around.master.port),
    CUDA_VISIBLE_DEVICES: launch.devices.join(','),
    MUSTER_JOB: key.job,
    MUSTER_EPOCH: key.epoch,
    MUSTER_RANK: String(key.rank),
    MUSTER_CHECKPOINT_DIR: around.checkpointDir,
    MUSTER_CONTROL: around.controlPath,
    ...launch.resume && around.resumeDir !== null
      ? { MUSTER_RESUME_DIR: around.resumeDir, MUSTER_RESUME_STEP: String(launch.resume.step) } : {},
  };
}

/** Absent means "no committed checkpoint", so a job's own value may not stand in their place. */
function withoutResume(env: Readonly<Record<string, string>>): Record<string, string> {
  const { MUSTER_RESUME_DIR: _dir, MUSTER_RESUME_STEP: _step, ...rest } = env;
  return rest;
}
