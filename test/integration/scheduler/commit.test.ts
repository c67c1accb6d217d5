import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nudgeBy } from '#services/fleet/nudge.ts';
import { commitPlacements } from '#services/scheduler/commit.ts';
import type { Placement, Verdict } from '#services/scheduler/model.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { addJob, addNode, audit, pendingJob, placementOn, takeToken } from './rows.ts';

let world: World;
beforeAll(async () => { world = await openWorld(); });
afterAll(async () => { await world.close(); });

let nodes = 0;
const newNode = async (input: Partial<Parameters<typeof addNode>[1]> = {}): Promise<string> => {
  const id = `node-${++nodes}`;
  await addNode(world.db, { id, ...input });
  return id;
};

async function commit(items: readonly Placement[], overrides: { token?: bigint; incarnation?: number; membersMax?: number } = {}): Promise<Verdict[]> {
  const leadership = await takeToken(world.db);
  const outcome = await commitPlacements(world.db, {
    leadership: { ...leadership, token: overrides.token ?? leadership.token }, incarnation: overrides.incarnation ?? 1, items, membersMax: overrides.membersMax ?? 200,
  });
  return items.map((item) => outcome.items.get(item.job.id)!.verdict);
}

const jobRow = (id: string) => world.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describe('a placement', () => {
  it('writes attempt, members, allocations, node and device use, and the event, in one transaction', async () => {
    const [a, b] = [await newNode(), await newNode()];
    const id = await addJob(world.db, { members: 3, devicesPerMember: 2, cpuMilli: 500, memoryBytes: '1024' });
    const job = await pendingJob(world.db, id);
    const verdicts = await commit([placementOn(job, [{ node: a, devices: [0, 1] }, { node: a, devices: [2, 3] }, { node: b, devices: [0, 1] }])]);
    expect(verdicts).toEqual(['placed']);

    const row = await jobRow(id);
    expect(row).toMatchObject({ state: 'RESERVED', version: 2n, epoch: (1n << 32n) + 1n, unsupervised_attempts: 1 });
    const attempt = await world.db.selectFrom('attempt').selectAll().where('job_id', '=', id).executeTakeFirstOrThrow();
    expect(attempt).toMatchObject({ epoch: row.epoch, members: 3, resume_checkpoint: null });
    const members = await world.db.selectFrom('member').selectAll().where('job_id', '=', id).orderBy('rank').execute();
    expect(members.map((m) => [m.node_id, m.local_rank, m.devices, m.desired])).toEqual([[a, 0, [0, 1], 'run'], [a, 1, [2, 3], 'run'], [b, 0, [0, 1], 'run']]);
    const allocations = await world.db.selectFrom('allocation').selectAll().where('job_id', '=', id).orderBy('rank').orderBy('device_idx').execute();
    expect(allocations.filter((r) => r.rank === 0).map((r) => [r.device_idx, r.milli, r.cpu_milli, r.memory_bytes])).toEqual([[-1, 0, 500, 1_024n], [0, 1_000, 0, 0n], [1, 1_000, 0, 0n]]);
    const node = await world.db.selectFrom('node').selectAll().where('id', '=', a).executeTakeFirstOrThrow();
    expect(node).toMatchObject({ cpu_used_milli: 1_000, memory_used_bytes: 2_048n, generation: 2n, version: 2n });
    const event = await world.db.selectFrom('outbox').selectAll().where('key', '=', `job/${id}`).executeTakeFirstOrThrow();
    expect(event).toMatchObject({ kind: 'job.placed', version: 2n });
    expect(await audit(world.db)).toEqual([]);
  });

  it('of a job for the host alone takes cpu and memory and no device', async () => {
    const node = await newNode({ devices: 0, cpuMilli: 1_000 });
    const id = await addJob(world.db, { cpuMilli: 1_000 });
    expect(await commit([placementOn(await pendingJob(world.db, id), [{ node, devices: [] }])])).toEqual(['placed']);
    const rows = await world.db.selectFrom('allocation').selectAll().where('job_id', '=', id).execute();
    expect(rows.map((row) => [row.device_idx, row.cpu_milli])).toEqual([[-1, 1_000]]);
  });

  it('with fewer or repeated devices than the job asks for is refused, whoever planned it', async () => {
    const node = await newNode();
    const job = await pendingJob(world.db, await addJob(world.db, { members: 2, devicesPerMember: 2 }));
    const short = [{ node, devices: [0, 1] }, { node, devices: [2] }];
    expect(await commit([placementOn(job, short)])).toEqual(['job_changed']);
    expect(await commit([placementOn(job, [{ node, devices: [0, 1] }, { node, devices: [2, 2] }])])).toEqual(['job_changed']);
    expect(await commit([placementOn(job, short.slice(0, 1))])).toEqual(['job_changed']);
    expect((await jobRow(job.id)).state).toBe('QUEUED');
  });

  it('P35 names the next epoch within the incarnation it was planned in', async () => {
    const node = await newNode();
    const id = await addJob(world.db, {});
    await world.db.updateTable('job').set({ epoch: (1n << 32n) + 7n }).where('id', '=', id).execute();
    expect(await commit([placementOn(await pendingJob(world.db, id), [{ node, devices: [] }])])).toEqual(['placed']);
    expect((await jobRow(id)).epoch).toBe((1n << 32n) + 8n);
  });

  it('takes the checkpoint that the pointer names as what the attempt resumes from', async () => {
    const node = await newNode();
    const id = await addJob(world.db, {});
    await world.db.insertInto('checkpoint').values({ id: `ckpt-${id}`, job_id: id, epoch: 1n, step: 40n, dir: 'd', reach: 'shared', nodes: [node], layout: '{}', data_position: '{}', shards: 1, bytes: 1n }).execute();
    await world.db.insertInto('checkpoint_pointer').values({ job_id: id, checkpoint_id: `ckpt-${id}`, epoch: 1n, step: 40n }).execute();
    expect(await commit([placementOn(await pendingJob(world.db, id), [{ node, devices: [] }])])).toEqual(['placed']);
    const attempt = await world.db.selectFrom('attempt').selectAll().where('job_id', '=', id).executeTakeFirstOrThrow();
    expect(attempt.resume_checkpoint).toBe(`ckpt-${id}`);
  });
});

describe('nudges', () => {
  it('go to the nodes that got members, after the commit, and to no other', async () => {
    const [a, b, c] = [await newNode(), await newNode(), await newNode()];
    const id = await addJob(world.db, { members: 2 });
    const lost = await addJob(world.db, {});
    const nudged: string[] = [];
    nudgeBy((node) => nudged.push(node));
    const stale = { ...(await pendingJob(world.db, lost)), version: 9n };
    await commit([placementOn(await pendingJob(world.db, id), [{ node: a, devices: [] }, { node: b, devices: [] }]), placementOn(stale, [{ node: c, devices: [] }])]);
    nudgeBy(() => undefined);
    expect(nudged.sort()).toEqual([a, b]);
  });
});

describe('a verdict', () => {
  const one = async (spec = {}): Promise<{ id: string; node: string; item: Placement }> => {
    const node = await newNode();
    const id = await addJob(world.db, { devicesPerMember: 1, ...spec });
    return { id, node, item: placementOn(await pendingJob(world.db, id), [{ node, devices: [0] }]) };
  };
  const untouched = async (id: string): Promise<void> => {
    expect(await world.db.selectFrom('attempt').selectAll().where('job_id', '=', id).execute()).toEqual([]);
    expect(await audit(world.db)).toEqual([]);
  };

  it('token_lost: another leader has taken over', async () => {
    const { id, item } = await one();
    expect(await commit([item], { token: 0n })).toEqual(['token_lost']);
    await untouched(id);
  });

  it('P35 frozen: a restore is being reconciled, or the plan is of an older incarnation', async () => {
    const { id, item } = await one();
    expect(await commit([item], { incarnation: 2 })).toEqual(['frozen']);
    await world.db.updateTable('cluster').set({ frozen_at: new Date() }).execute();
    expect(await commit([item])).toEqual(['frozen']);
    await world.db.updateTable('cluster').set({ frozen_at: null }).execute();
    await untouched(id);
  });

  it('job_changed: version, state, time or checkpoint is not what was planned on', async () => {
    const changes = [{ version: 9n }, { state: 'CANCELLED' }, { not_before: new Date(Date.now() + 60_000) }];
    for (const change of changes) {
      const { id, item } = await one();
      await world.db.updateTable('job').set(change).where('id', '=', id).execute();
      expect(await commit([item])).toEqual(['job_changed']);
      await untouched(id);
    }
    const { id, item } = await one();
    await world.db.insertInto('checkpoint_pointer').values({ job_id: id, checkpoint_id: null, epoch: 1n, step: 1n }).execute();
    expect(await commit([item])).toEqual(['job_changed']);
    await untouched(id);
  });

  it('node_changed: cordoned, away, or a device of it is not healthy', async () => {
    const cordoned = await one();
    await world.db.updateTable('node').set({ cordoned_by_operator: true }).where('id', '=', cordoned.node).execute();
    const away = await one();
    await world.db.updateTable('node').set({ state: 'UNKNOWN' }).where('id', '=', away.node).execute();
    const broken = await one();
    await world.db.updateTable('device').set({ health: 'failed' }).where('node_id', '=', broken.node).where('idx', '=', 0).execute();
    expect(await commit([cordoned.item, away.item, broken.item])).toEqual(['node_changed', 'node_changed', 'node_changed']);
    await untouched(cordoned.id);
  });

  it('no_room drops a gang whole and keeps the others of the batch', async () => {
    const [a, b] = [await newNode({ devices: 2 }), await newNode({ devices: 2 })];
    const gang = await addJob(world.db, { members: 2, devicesPerMember: 1 });
    const [first, last] = [await addJob(world.db, { devicesPerMember: 2 }), await addJob(world.db, { devicesPerMember: 1 })];
    const items = [
      placementOn(await pendingJob(world.db, first), [{ node: b, devices: [0, 1] }]),
      placementOn(await pendingJob(world.db, gang), [{ node: a, devices: [0] }, { node: b, devices: [1] }]),
      placementOn(await pendingJob(world.db, last), [{ node: a, devices: [0] }]),
    ];
    expect(await commit(items)).toEqual(['placed', 'no_room', 'placed']);
    expect((await jobRow(gang)).state).toBe('QUEUED');
    await untouched(gang);
  });

  it('no_room: cpu and memory count like devices', async () => {
    const node = await newNode({ devices: 0, cpuMilli: 1_000, memoryBytes: 1_000n });
    const cpu = await addJob(world.db, { cpuMilli: 1_001 });
    const memory = await addJob(world.db, { memoryBytes: '1001' });
    const on = [{ node, devices: [] }];
    expect(await commit([placementOn(await pendingJob(world.db, cpu), on), placementOn(await pendingJob(world.db, memory), on)])).toEqual(['no_room', 'no_room']);
    await untouched(cpu);
  });

  it('P20 older_epoch_not_gone: an exclusive job waits for the proof that its older epoch is gone from a heard node', async () => {
    const { id, node, item } = await one({ exclusive: true });
    const epoch = (1n << 32n) + 1n;
    await world.db.updateTable('job').set({ epoch }).where('id', '=', id).execute();
    await world.db.insertInto('attempt').values({ job_id: id, epoch, members: 1 }).execute();
    await world.db.insertInto('member').values({ job_id: id, epoch, rank: 0, node_id: node, local_rank: 0, devices: [3] }).execute();
    await world.db.insertInto('allocation').values({ job_id: id, epoch, rank: 0, device_idx: 3, node_id: node, milli: 1_000, state: 'fenced' }).execute();
    await world.db.updateTable('device').set({ used_milli: 1_000 }).where('node_id', '=', node).where('idx', '=', 3).execute();
    expect(await commit([item])).toEqual(['older_epoch_not_gone']);

    const other = await newNode();
    await world.db.updateTable('node').set({ state: 'UNKNOWN' }).where('id', '=', node).execute();
    expect(await commit([placementOn(await pendingJob(world.db, id), [{ node: other, devices: [0] }])])).toEqual(['placed']);
    expect(await audit(world.db)).toEqual([]);
  });

  it('of one bad item undoes its batch, which is halved until only the bad one is left out', async () => {
    const node = await newNode();
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await addJob(world.db, { devicesPerMember: 1 }));
    const bad = ids[2]!;
    // An attempt of the very epoch that the placement will name: a unique violation that no locked row foretells.
    await world.db.insertInto('attempt').values({ job_id: bad, epoch: (1n << 32n) + 1n, members: 1 }).execute();
    const items = [];
    for (const [index, id] of ids.entries()) items.push(placementOn(await pendingJob(world.db, id), [{ node, devices: [index] }]));
    expect(await commit(items)).toEqual(['placed', 'placed', 'no_room', 'placed', 'placed']);
    expect((await jobRow(bad)).state).toBe('QUEUED');
    expect(await audit(world.db)).toEqual([]);
  });
});

describe('a ticket', () => {
  it('P21 is converted by the placement of its job: used rows stay, unused ones are free, it ends', async () => {
    const [kept, fresh] = [await newNode({ devices: 2 }), await newNode({ devices: 2 })];
    const id = await addJob(world.db, { members: 2, devicesPerMember: 1, cpuMilli: 100 });
    const first = await pendingJob(world.db, id);
    expect(await commit([placementOn(first, [{ node: kept, devices: [0] }, { node: kept, devices: [1] }])])).toEqual(['placed']);
    const { epoch } = await jobRow(id);
    await world.db.insertInto('ticket').values({ id: 'tkt_1', kind: 'recovery', beneficiary_job_id: id, deadline_at: new Date(Date.now() + 60_000) }).execute();
    await world.db.updateTable('allocation').set({ held_by: 'ticket', ticket_id: 'tkt_1' }).where('job_id', '=', id).where('epoch', '=', epoch).execute();
    await world.db.updateTable('job').set({ state: 'QUEUED', version: 3n }).where('id', '=', id).execute();

    const other = await addJob(world.db, { devicesPerMember: 1 });
    const again = await pendingJob(world.db, id);
    expect(again.ticket?.shares).toHaveLength(4);
    const verdicts = await commit([
      placementOn(await pendingJob(world.db, other), [{ node: kept, devices: [0] }]),
      placementOn(again, [{ node: kept, devices: [0] }, { node: fresh, devices: [0] }]),
    ]);
    expect(verdicts).toEqual(['no_room', 'placed']);
    const ticket = await world.db.selectFrom('ticket').selectAll().where('id', '=', 'tkt_1').executeTakeFirstOrThrow();
    expect(ticket).toMatchObject({ state: 'ENDED', end_reason: 'placed' });
    const held = await world.db.selectFrom('allocation').selectAll().where('job_id', '=', id).where('device_idx', '>=', 0).orderBy('rank').execute();
    expect(held.map((row) => [row.node_id, row.device_idx, row.held_by])).toEqual([[kept, 0, 'job'], [fresh, 0, 'job']]);
    expect(await audit(world.db)).toEqual([]);
  });
});
