/** Agents that are killed, frozen, doubled, mute or mad, and machines that die (design.md §3.2, §3.3, P1–P19). */
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { environmentOf } from '#infra/stack/process-identity.ts';
import { subjects } from '#services/fleet/model.ts';
import { openLog } from '#services/platform/log.ts';
import { connectAgent } from '#services/platform/nats/bus.ts';
import { Fleet, openTimeoutMs, leaseTtlMs, program, untilOpen } from '../../e2e/fleet.ts';
import { Part } from '../../e2e/part.ts';
import { until } from '../../e2e/until.ts';

const timeout = 90_000;

describe('an agent', () => {
  let fleet: Fleet;
  beforeAll(async () => { fleet = await Fleet.open({ nodes: 3, settings: { MUSTER_LEASE_DRIFT_MS: '1500' } }); }, openTimeoutMs);
  afterAll(() => fleet?.close());
  afterEach((context) => fleet.settle(context));

  const nodeOf = async (id: string, rank = 0): Promise<string> => (await fleet.attempt(id)).members[rank]?.node ?? '';
  const nodeState = async (node: string) => (await fleet.db.selectFrom('node').select(['state', 'schedulable', 'cordoned_by_fence', 'boot_id']).where('id', '=', node).executeTakeFirstOrThrow());

  it('killed in mid-run is succeeded by one that adopts its members: nothing doubled, no exit code lost', { timeout }, async () => {
    const gate = fleet.gate();
    const running = await fleet.submit({ argv: untilOpen(gate, 'echo started;'), members: 3, devicesPerMember: 4 });
    const failing = await fleet.submit({ argv: ['/bin/sh', '-c', `while [ ! -e ${gate.file} ]; do sleep 0.05; done; exit 42`], members: 1 });
    await fleet.state(running, 'RUNNING');
    await fleet.state(failing, 'RUNNING');
    const pids = (await fleet.attempt(running)).members.map(({ pid }) => pid);
    const node = await nodeOf(failing);
    await fleet.agent(node).kill('SIGKILL');
    gate.open(); // exits while nobody looks
    await until('the members of the dead agent to have exited', () => fleet.programs({ node }).length === 0);
    await fleet.startAgent(node);
    await fleet.state(running, 'SUCCEEDED');
    const ended = await fleet.state(failing, 'FAILED');
    expect(ended.reason).toContain('42');
    expect((await fleet.attempt(failing)).members[0]).toMatchObject({ state: 'exited', exitCode: 42 });
    expect((await fleet.attempt(running)).members.map(({ pid }) => pid)).toEqual(pids);
    for (const id of [running, failing]) expect(await fleet.attempts(id)).toHaveLength(1);
    const printed = await until('the output', async () => {
      const text = await fleet.logs(running);
      return (text.match(/started/g) ?? []).length >= 3 && text;
    });
    expect(printed.match(/started/g)).toHaveLength(3);
  });

  it('P12 P14 frozen past its lease and back before the fence: LOST, then RUNNING in the same attempt', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate), members: 2, devicesPerMember: 8 });
    await fleet.state(id, 'RUNNING');
    const node = await nodeOf(id, 1);
    fleet.agent(node).signal('SIGSTOP');
    try {
      await until('the job to be LOST', async () => (await fleet.row(id)).state === 'LOST', leaseTtlMs * 5);
    } finally {
      fleet.agent(node).signal('SIGCONT');
    }
    await fleet.state(id, 'RUNNING');
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    expect(await fleet.attempts(id)).toHaveLength(1);
  });

  it('law 5, P11 frozen past the fence: the job runs elsewhere, the old epoch publishes nothing, its members are stopped', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: program('trainer.ts', gate.file), members: 1, devicesPerMember: 8 });
    await fleet.when(id, 'with a commit', (job) => job.checkpoint !== null);
    const node = await nodeOf(id);
    const [old] = fleet.programs({ job: id });
    fleet.agent(node).signal('SIGSTOP');
    try {
      await fleet.when(id, 'that runs in its second attempt', (job) => job.attempts === 2 && job.state === 'RUNNING', 30_000);
      const [first, second] = await fleet.attempts(id);
      expect(first).toMatchObject({ fenced: true, endReason: 'lost' });
      expect(second?.members[0]?.node).not.toBe(node);
      expect(second?.resumedFrom).not.toBeNull();
      expect(fleet.programs({ node }).map(({ pid }) => pid)).toContain(old?.pid); // law 4: no proof, so its devices stay blocked
      const rows = await fleet.db.selectFrom('allocation').select(['state', 'node_id']).where('job_id', '=', id).where('epoch', '=', BigInt(first?.epoch ?? 0)).execute();
      expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['fenced']));
      expect(await nodeState(node)).toMatchObject({ schedulable: false, cordoned_by_fence: true });
    } finally {
      fleet.agent(node).signal('SIGCONT');
    }
    await until('the members of the old epoch to be stopped', () => fleet.programs({ node }).length === 0);
    await until('the node to take work again', async () => (await nodeState(node)).schedulable);
    const committed = (await fleet.job(id)).checkpoint?.step;
    await fleet.when(id, 'with a newer commit', (job) => Number(job.checkpoint?.step) > Number(committed));
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    const [first, second] = await fleet.attempts(id);
    const saved = await fleet.checkpoints(id);
    const lastOld = Math.max(...saved.filter(({ epoch }) => epoch === first?.epoch).map(({ committedAt }) => Date.parse(committedAt)));
    expect(lastOld).toBeLessThan(Date.parse(second?.reservedAt ?? ''));
    expect(saved.find(({ isCurrent }) => isCurrent)?.epoch).toBe(second?.epoch);
  });

  it('P10 on a machine that died: the gang is vacated as lost and reruns elsewhere, a new boot frees what was fenced', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate), members: 2, devicesPerMember: 8 });
    await fleet.state(id, 'RUNNING');
    const dead = await nodeOf(id, 1);
    await fleet.killNode(dead);
    await fleet.when(id, 'that runs elsewhere', (job) => job.attempts === 2 && job.state === 'RUNNING', 30_000);
    const [first, second] = await fleet.attempts(id);
    expect(first).toMatchObject({ fenced: true, endReason: 'lost' });
    expect(second?.members.map(({ node }) => node)).not.toContain(dead);
    const moves = await fleet.moves(id);
    expect(moves.slice(moves.indexOf('LOST'), moves.indexOf('LOST') + 3)).toEqual(['LOST', 'VACATING', 'QUEUED']);
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
    expect((await fleet.job(id)).budgets).toMatchObject({ infrastructureFailures: { used: 1 }, userFailures: { used: 0 } });
    expect(await fleet.db.selectFrom('allocation').selectAll().where('node_id', '=', dead).execute()).not.toEqual([]);
    await fleet.reboot(dead);
    await fleet.ready(3);
  });

  it('P10 on a machine that reboots at once: the death is proven without waiting for a fence', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate), members: 1, devicesPerMember: 8 });
    await fleet.state(id, 'RUNNING');
    const node = await nodeOf(id);
    await fleet.killNode(node);
    await fleet.reboot(node);
    await fleet.when(id, 'that runs again', (job) => job.attempts === 2 && job.state === 'RUNNING');
    expect((await fleet.attempts(id))[0]).toMatchObject({ endReason: 'lost', members: [{ state: 'proven dead' }] });
    gate.open();
    await fleet.state(id, 'SUCCEEDED');
  });

  it('P1 P31 with a twin of its name: the later boot is current, the earlier one stops what it ran, nothing runs twice', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: untilOpen(gate), members: 1, devicesPerMember: 8 });
    await fleet.state(id, 'RUNNING');
    const node = await nodeOf(id);
    const second = new Part('second', 'agent', fleet.agentEnv(node));
    await expect(second.start()).rejects.toThrow('already runs with');

    // A copy of the node's image on another machine: the same name and credential, a boot and a folder of its own.
    const twinDir = path.join(fleet.dir, `${node}-twin`);
    mkdirSync(twinDir);
    copyFileSync(path.join(fleet.dataDir(node), 'credential.json'), path.join(twinDir, 'credential.json'));
    const twin = new Part('twin', 'agent', { ...fleet.agentEnv(node), MUSTER_AGENT_DATA_DIR: twinDir, MUSTER_AGENT_BOOT_ID: `twin-of-${node}` });
    try {
      await twin.start();
      await fleet.when(id, 'that runs again', (job) => job.attempts === 2 && job.state === 'RUNNING');
      await until('the earlier boot to have stopped its member', () => fleet.programs({ node }).length === 0);
      const { epoch, members } = await fleet.attempt(id);
      expect(fleet.programs({ job: id }).filter(({ pid }) => environmentOf(pid).get('MUSTER_EPOCH') === epoch).map(({ pid }) => pid)).toContain(members[0]?.pid);
      expect(await nodeState(node)).toMatchObject({ boot_id: `twin-of-${node}` });
      gate.open();
      await fleet.state(id, 'SUCCEEDED');
    } finally {
      await twin.kill('SIGTERM');
      await fleet.reboot(node);
    }
    await fleet.ready(3);
  });

  it('that is mute, or sends garbage as fast as it can, never delays the jobs of another', { timeout }, async () => {
    const [mute, mad] = ['n1', 'n2'] as const;
    const secret = JSON.parse(readFileSync(path.join(fleet.dataDir(mad), 'credential.json'), 'utf8')) as { secret: string };
    await Promise.all([mute, mad].map((node) => fleet.agent(node).kill('SIGTERM')));
    const bus = await connectAgent({ url: fleet.config.natsUrl, user: mad, password: `node:${secret.secret}`, inboxPrefix: subjects.inboxPrefix(mad), name: 'mad' }, openLog('mad', 'silent'));
    const raving = new AbortController();
    const rave = async (): Promise<void> => {
      for (let n = 0; !raving.signal.aborted; n++) {
        const junk = n % 3 === 0 ? { node: 'n3', bootId: 'x', session: '999999999999', sequence: n } : n % 3 === 1 ? 'x'.repeat(100_000) : { node: mad, members: [{ job: '../..', rank: -1 }] };
        await bus.request(subjects.beat(mad), junk, 1_000).catch(() => undefined);
      }
    };
    const ravers = Array.from({ length: 4 }, rave);
    try {
      await until('both nodes to be UNKNOWN', async () => (await Promise.all([mute, mad].map(nodeState))).every(({ state }) => state === 'UNKNOWN'));
      for (let n = 0; n < 3; n++) {
        const id = await fleet.submit({ argv: ['/bin/true'], members: 4, devicesPerMember: 1 });
        const ended = await fleet.state(id, 'SUCCEEDED', 15_000);
        expect(ended.attempts).toBe(1);
        expect(new Set((await fleet.attempt(id)).members.map(({ node }) => node))).toEqual(new Set(['n3']));
      }
      expect(await nodeState('n3')).toMatchObject({ state: 'LIVE' });
    } finally {
      raving.abort();
      await Promise.all(ravers);
      await bus.close();
      await Promise.all([mute, mad].map((node) => fleet.startAgent(node)));
    }
    await fleet.ready(3);
  });
});
