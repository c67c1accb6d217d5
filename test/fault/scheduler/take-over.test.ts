/** Real scheduler processes on a real database: whatever happens to the leader, the next job starts, and nothing is taken twice. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repositoryRoot, type Environment } from '#services/platform/config.ts';
import { addJob, addNode, audit } from '#test/integration/scheduler/rows.ts';
import { until } from '#test/integration/scheduler/until.ts';
import { openWorld, type World } from '#test/setup/world.ts';

/** What an operator is promised (issue 3 C): the other leads within that. */
const takeOverMsMax = 10_000;

let world: World;
let children: ChildProcess[];

beforeEach(async () => {
  world = await openWorld({ MUSTER_LEADER_LEASE_MS: '2000' });
  children = [];
  await addNode(world.db, { id: 'n1' });
});

afterEach(async () => {
  await Promise.all(children.filter((child) => child.exitCode === null && child.signalCode === null).map(async (child) => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }));
  await world.close();
});

async function startScheduler(settings: Environment = {}): Promise<ChildProcess> {
  const child = fork(path.join(repositoryRoot, 'services/roles/scheduler.ts'), {
    env: { ...process.env, ...world.env, ...settings }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function leaderPid(): Promise<number | undefined> {
  const lease = await world.db.selectFrom('leader_lease').select('holder').where('name', '=', 'scheduler')
    .where('expires_at', '>', sql<Date>`clock_timestamp()`).executeTakeFirst();
  return lease?.holder ? Number(lease.holder.split('/')[1]) : undefined;
}

const isPlaced = async (id: string): Promise<boolean> =>
  (await world.db.selectFrom('job').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state === 'RESERVED';

async function submitAndWait(): Promise<void> {
  const id = await addJob(world.db, { devicesPerMember: 1 });
  await sql`insert into outbox (key, version, kind, payload) values (${`job/${id}`}, 1, 'job.submitted', ${JSON.stringify({ job: id, state: 'QUEUED' })})`.execute(world.db);
  await until(() => isPlaced(id), takeOverMsMax);
}

/** Two processes that have placed a job; which of them leads is told by the lease. */
async function twoWithOneLeading(): Promise<{ readonly leading: ChildProcess; readonly standby: ChildProcess }> {
  const two = [await startScheduler(), await startScheduler()];
  await submitAndWait();
  await until(async () => (await leaderPid()) !== undefined);
  const pid = await leaderPid();
  const [leading, standby] = two[0]!.pid === pid ? [two[0]!, two[1]!] : [two[1]!, two[0]!];
  return { leading, standby };
}

describe('the leading scheduler', () => {
  it('killed with -9: the other one places within 10 s', async () => {
    const { leading, standby } = await twoWithOneLeading();
    leading.kill('SIGKILL');
    await submitAndWait();
    expect(await leaderPid()).toBe(standby.pid);
    expect(await audit(world.db)).toEqual([]);
  });

  it('stopped and continued: it finds its token taken, and two epochs are never given out', async () => {
    const { leading } = await twoWithOneLeading();
    leading.kill('SIGSTOP');
    await submitAndWait();
    leading.kill('SIGCONT');
    for (let n = 0; n < 3; n++) await submitAndWait();
    const { token } = await world.db.selectFrom('leader').select('token').where('name', '=', 'scheduler').executeTakeFirstOrThrow();
    expect(token).toBeGreaterThanOrEqual(2n);
    const attempts = await world.db.selectFrom('attempt').select('job_id').execute();
    expect(new Set(attempts.map((row) => row.job_id)).size).toBe(attempts.length);
    expect(await audit(world.db)).toEqual([]);
  });

  it('ended by SIGTERM: it gives the lease up and exits 0', async () => {
    const { leading, standby } = await twoWithOneLeading();
    const exit = once(leading, 'exit');
    leading.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    await submitAndWait();
    expect(await leaderPid()).toBe(standby.pid);
  });

  it('cut off from the database: it comes back and goes on', async () => {
    await startScheduler();
    await submitAndWait();
    for (let n = 0; n < 5; n++) {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'muster-scheduler' and datname = current_database()`.execute(world.db);
      await submitAndWait();
    }
    expect(await audit(world.db)).toEqual([]);
  });

  it('without NATS it places all the same, at the pace of its poll', async () => {
    await startScheduler({ MUSTER_NATS_URL: 'nats://127.0.0.1:9' });
    await submitAndWait();
    const [child] = children;
    const exit = once(child!, 'exit');
    child!.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });
});
