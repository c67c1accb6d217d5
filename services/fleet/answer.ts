/** What a node is told to run, to keep, to stop and to forget. Read in the beat's own transaction, never from a replica (P4). */
import { sql } from 'kysely';
import { resumePoint } from '../checkpoints/resume.ts';
import type { FullJobSpec } from '../jobs/spec.ts';
import type { Config } from '../platform/config.ts';
import { sqlState, type Tx } from '../platform/db.ts';
import { keyringOf } from '../teams/sealing.ts';
import { openSecrets } from '../teams/secrets.ts';
import type { MemberLaunch, RunItem, StopItem } from './model.ts';

interface OrderRow {
  readonly job_id: string;
  readonly team_id: string;
  readonly epoch: bigint;
  readonly rank: number;
  readonly local_rank: number;
  readonly devices: number[];
  readonly desired: 'run' | 'stop';
  readonly stop_reason: string | null;
  readonly stop_grace_ms: number | null;
  readonly accepted: boolean;
  readonly ordered_boot_id: string | null;
  readonly members: number;
  readonly master_address: string | null;
  readonly master_port: number | null;
  readonly resume_checkpoint: string | null;
  readonly spec: FullJobSpec | null;
}

export interface Orders {
  readonly run: readonly RunItem[];
  readonly stop: readonly StopItem[];
}

/**
 * The orders of one node, under its lock. A member is sent as `start` until it was accepted, then as `keep` (P5), and
 * as `start` only where this boot is the one it was noted for. Starts beyond the bound come with the next answer: the
 * agent beats again as soon as it has accepted these.
 */
export async function ordersOf(tx: Tx, nodeId: string, bootId: string, config: Pick<Config, 'killGraceMs' | 'logBytesMaxPerMember' | 'launchBytesMaxPerAnswer' | 'secretKeys'>): Promise<Orders> {
  const { rows } = await sql<OrderRow>`
    select m.job_id, j.team_id, m.epoch, m.rank, m.local_rank, m.devices, m.desired, m.stop_reason, m.stop_grace_ms,
      m.accepted_at is not null as accepted, m.ordered_boot_id, a.members, a.master_address, a.master_port, a.resume_checkpoint,
      case when m.accepted_at is null and m.desired = 'run' then j.spec end as spec
    from member m join attempt a using (job_id, epoch) join job j on j.id = m.job_id
    where m.node_id = ${nodeId} and m.gone_at is null
    order by m.job_id, m.epoch, m.rank`.execute(tx);
  const run: RunItem[] = [];
  const stop: StopItem[] = [];
  let launchBytes = 0;
  for (const row of rows) {
    const key = { job: row.job_id, epoch: row.epoch.toString(), rank: row.rank };
    if (row.desired === 'stop') stop.push({ ...key, reason: row.stop_reason ?? 'stop', graceMs: row.stop_grace_ms ?? config.killGraceMs });
    else if (row.accepted) run.push({ ...key, order: 'keep' });
    else if (row.ordered_boot_id === bootId && row.spec && launchBytes < config.launchBytesMaxPerAnswer) {
      const launch = await launchOf(tx, row, row.spec, config);
      launchBytes += Buffer.byteLength(JSON.stringify(launch));
      run.push({ ...key, order: 'start', launch });
    }
  }
  return { run, stop };
}

async function launchOf(tx: Tx, row: OrderRow, spec: FullJobSpec, config: Pick<Config, 'logBytesMaxPerMember' | 'secretKeys'>): Promise<MemberLaunch> {
  const interval = spec.checkpoint.intervalSeconds;
  return {
    argv: spec.argv,
    env: { ...spec.env, ...(interval === undefined ? {} : { MUSTER_CHECKPOINT_INTERVAL_SECONDS: String(interval) }) },
    workingDirectory: spec.workingDirectory ?? null,
    worldSize: row.members,
    localRank: row.local_rank,
    devices: row.devices,
    readiness: spec.readiness,
    exclusive: spec.exclusive,
    master: row.rank === 0 || row.master_address === null || row.master_port === null ? null : { address: row.master_address, port: row.master_port },
    resume: await resumePoint(tx, row.job_id, row.rank, row.members, row.resume_checkpoint),
    logBytesMax: String(config.logBytesMaxPerMember),
    ...await secretsOf(tx, row.team_id, spec, config),
  };
}

/** Read at the last moment and never stored with the order. What can't be had is the start's trouble, not the beat's. */
async function secretsOf(tx: Tx, teamId: string, spec: FullJobSpec, config: Pick<Config, 'secretKeys'>): Promise<Pick<MemberLaunch, 'secrets' | 'secretsMissing'>> {
  if (!spec.secrets || Object.keys(spec.secrets).length === 0) return {};
  try {
    return { secrets: await openSecrets(tx, keyringOf(config.secretKeys), teamId, spec.secrets) };
  } catch (error) {
    if (sqlState(error) !== undefined) throw error;
    return { secretsMissing: error instanceof Error ? error.message : String(error) };
  }
}
