/** kill -9 of each role while a gang trains is an ordinary event (design.md §6): the gang never notices. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Part } from '../../e2e/part.ts';
import { Fleet, openTimeoutMs, program, roleNames, untilOpen } from '../../e2e/fleet.ts';
import { until } from '../../e2e/until.ts';

const timeout = 90_000;

describe('kill -9 of a role', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 2, apart: true }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  /** Both from the row: the API may be what was killed. */
  const seen = async (id: string) => {
    const rows = await fleet.db.selectFrom('member').select(['progress_step']).where('job_id', '=', id).where('rank', '=', 0).orderBy('epoch', 'desc').execute();
    const committed = await fleet.db.selectFrom('checkpoint_pointer').select('step').where('job_id', '=', id).executeTakeFirst();
    return { step: Number(rows[0]?.progress_step ?? 0), committed: Number(committed?.step ?? 0) };
  };

  it('of each in turn leaves a training gang in its one attempt, and its checkpoints go on', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: program('trainer.ts', gate.file), members: 4, devicesPerMember: 1 });
    await fleet.state(id, 'RUNNING');
    const pids = (await fleet.attempt(id)).members.map(({ pid }) => pid);
    for (const name of roleNames) {
      await fleet.role(name).kill('SIGKILL');
      await fleet.role(name).start();
      const before = await seen(id);
      await until(`progress and a commit after ${name} was killed`, async () => {
        const now = await seen(id);
        return now.step > before.step && now.committed > before.committed;
      }, 30_000, async () => ({ before, now: await seen(id), row: await fleet.row(id) }));
    }
    expect((await fleet.attempt(id)).members.map(({ pid }) => pid)).toEqual(pids);
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    expect(await fleet.attempts(id)).toHaveLength(1);
    expect((await fleet.moves(id)).filter((state) => state === 'VACATING')).toEqual([]);
  });

  it('of the worker while a gang is being vacated: the next one ends it', { timeout }, async () => {
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 0.1; done'], members: 2, checkpoint: { graceSeconds: 1 } });
    await fleet.state(id, 'RUNNING');
    await fleet.api.POST('/v1/jobs/{job}/cancel', { params: { path: { job: id } }, body: { reason: 'test' } });
    await fleet.role('worker').kill('SIGKILL');
    await until('the members to be killed at their deadline', () => fleet.programs({ job: id }).length === 0);
    await fleet.role('worker').start();
    await fleet.state(id, 'CANCELLED');
  });

  it('of all at once, with jobs in every state: each ends as it should when they are back', { timeout }, async () => {
    const gate = fleet.gate();
    const running = await fleet.submit({ argv: untilOpen(gate), members: 4, devicesPerMember: 4 });
    await fleet.state(running, 'RUNNING');
    const waiting = await fleet.submit({ argv: ['/bin/true'], members: 2, devicesPerMember: 1 });
    await fleet.when(waiting, 'that says why it waits', (job) => job.state === 'QUEUED' && job.waiting !== null);
    const shorts = await Promise.all(Array.from({ length: 4 }, () => fleet.submit({ argv: ['/bin/true'], members: 2 })));
    await Promise.all(roleNames.map((name) => fleet.role(name).kill('SIGKILL')));
    await Promise.all(roleNames.map((name) => fleet.role(name).start()));
    await Promise.all(shorts.map((id) => fleet.state(id, 'SUCCEEDED', 40_000)));
    gate.open();
    await fleet.state(running, 'SUCCEEDED');
    await fleet.state(waiting, 'SUCCEEDED');
    for (const id of [running, waiting]) expect(await fleet.attempts(id)).toHaveLength(1);
  });

  it('of the leading scheduler: the other places within ten seconds, and nothing twice', { timeout }, async () => {
    const second = await new Part('scheduler-2', 'scheduler', fleet.roleEnv).start();
    try {
      const holder = async () => (await fleet.db.selectFrom('leader_lease').select('holder').where('name', '=', 'scheduler').executeTakeFirstOrThrow()).holder ?? '';
      const before = await until('a leader', async () => (await holder()) || undefined);
      const leads = (part: Part): boolean => before.split('/').includes(String(part.pid));
      const [leader, other] = leads(second) ? [second, fleet.role('scheduler')] : [fleet.role('scheduler'), second];
      expect(leads(leader)).toBe(true);
      const gate = fleet.gate();
      const first = await fleet.submit({ argv: untilOpen(gate), members: 2, devicesPerMember: 8 });
      await fleet.state(first, 'RUNNING');
      await leader.kill('SIGKILL');
      const id = await fleet.submit({ argv: ['/bin/true'], members: 2 });
      await fleet.state(id, 'SUCCEEDED', 10_000);
      expect((await holder()).split('/')).toContain(String(other.pid));
      const used = await fleet.db.selectFrom('device').select(({ fn }) => fn.max('used_milli').as('used')).executeTakeFirstOrThrow();
      expect(used.used).toBe(1_000);
      gate.open();
      await fleet.state(first, 'SUCCEEDED');
      expect(await fleet.attempts(first)).toHaveLength(1);
    } finally {
      if (!fleet.role('scheduler').isUp) await fleet.role('scheduler').start();
      await second.kill('SIGTERM');
    }
  });
});
