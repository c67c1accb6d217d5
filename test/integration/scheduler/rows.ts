/** Nodes and jobs, written as their rooms would write them, and an audit of what is in use. */
import type { Db } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';
import { withDefaults, type JobSpec } from '#services/jobs/spec.ts';
import { priorityOf } from '#services/jobs/model.ts';
import { readPending } from '#services/scheduler/store.ts';
import type { PendingJob, Placement } from '#services/scheduler/model.ts';

export const team = 'team_00000000000000000000000000';
const holder = 'test';

export interface NodeInput {
  readonly id: string;
  readonly devices?: number;
  readonly model?: string;
  readonly cpuMilli?: number;
  readonly memoryBytes?: bigint;
  readonly topology?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

export async function addNode(db: Db, node: NodeInput): Promise<void> {
  await db.insertInto('node').values({
    id: node.id, boot_id: `boot-${node.id}`, cpu_milli: node.cpuMilli ?? 64_000, memory_bytes: node.memoryBytes ?? 1n << 36n,
    topology: JSON.stringify(node.topology ?? {}), labels: JSON.stringify(node.labels ?? {}), checkpoint_reach: 'shared',
  }).execute();
  const devices = Array.from({ length: node.devices ?? 8 }, (_, idx) => ({ node_id: node.id, idx, model: node.model ?? 'A100', uuid: `${node.id}-${idx}` }));
  if (devices.length > 0) await db.insertInto('device').values(devices).execute();
}

export async function addJob(db: Db, spec: Partial<JobSpec> = {}): Promise<string> {
  const full = withDefaults({ name: 'job', argv: ['true'], ...spec });
  const id = newId('job');
  await db.insertInto('job').values({
    id, team_id: team, name: full.name, spec: JSON.stringify(full), state: 'QUEUED', members: full.members,
    priority: priorityOf[full.priorityClass], preemptible: full.preemptible, exclusive: full.exclusive,
  }).execute();
  return id;
}

export async function pendingJob(db: Db, id: string): Promise<PendingJob> {
  const [found] = await readPending(db, [id]);
  if (!found) throw new Error(`${id} does not wait`);
  return found.job;
}

export async function takeToken(db: Db): Promise<{ name: string; holder: string; token: bigint }> {
  const row = await db.updateTable('leader').set((eb) => ({ token: eb('token', '+', 1n), holder })).where('name', '=', 'scheduler').returning('token').executeTakeFirstOrThrow();
  return { name: 'scheduler', holder, token: row.token };
}

/** A placement with given devices, as a round might have planned it. */
export function placementOn(job: PendingJob, on: readonly { readonly node: string; readonly devices: readonly number[] }[]): Placement {
  const seen = new Map<string, number>();
  const members = on.map(({ node, devices }, rank) => {
    const localRank = seen.get(node) ?? 0;
    seen.set(node, localRank + 1);
    return { rank, nodeId: node, localRank, devices };
  });
  return { job, members };
}

/** What the rows say is in use, and what the allocations add up to: law 1 is that they agree and stay in bounds. */
export async function audit(db: Db): Promise<string[]> {
  const nodes = await db.selectFrom('node').selectAll().execute();
  const devices = await db.selectFrom('device').selectAll().execute();
  const allocations = await db.selectFrom('allocation').selectAll().execute();
  const faults: string[] = [];
  for (const node of nodes) {
    const own = allocations.filter((row) => row.node_id === node.id);
    const cpu = own.reduce((sum, row) => sum + row.cpu_milli, 0);
    const memory = own.reduce((sum, row) => sum + row.memory_bytes, 0n);
    if (cpu !== node.cpu_used_milli || cpu > node.cpu_milli) faults.push(`${node.id} cpu ${cpu} of ${node.cpu_milli}, row says ${node.cpu_used_milli}`);
    if (memory !== node.memory_used_bytes || memory > node.memory_bytes) faults.push(`${node.id} memory ${memory} of ${node.memory_bytes}, row says ${node.memory_used_bytes}`);
    for (const device of devices.filter((row) => row.node_id === node.id)) {
      const milli = own.filter((row) => row.device_idx === device.idx).reduce((sum, row) => sum + row.milli, 0);
      if (milli !== device.used_milli || milli > 1_000) faults.push(`${node.id}/${device.idx} ${milli}, row says ${device.used_milli}`);
    }
  }
  return faults;
}
