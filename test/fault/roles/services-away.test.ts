/** Postgres, Temporal and NATS restart, or stay away for three leases, in mid-job (law 6, P16, design.md §3.4). */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Fleet, openTimeoutMs, program, untilOpen, type Gate } from '../../e2e/fleet.ts';
import { until } from '../../e2e/until.ts';
import { serviceNames, startLocalServices, type LocalServices } from './local-services.ts';

const timeout = 120_000;
const stepMs = 100;
const unsupervisedMax = 3;
/**
 * Longer than elsewhere: after NATS is back an agent may wait 2 s to reconnect, 5 s more where it came before the
 * ingest could answer its login, and 2 s again; a lease and its drift must cover that, as the product's 35 s do.
 */
const leaseTtlMs = 3_000;
const leaseDriftMs = 4_000;

describe('while a gang trains', () => {
  let fleet: Fleet;
  let services: LocalServices;
  beforeAll(async () => {
    services = await startLocalServices();
    fleet = await Fleet.open({ nodes: 2, services, settings: {
      MUSTER_MAX_UNSUPERVISED_ATTEMPTS: String(unsupervisedMax), MUSTER_LEASE_TTL_MS: String(leaseTtlMs), MUSTER_LEASE_DRIFT_MS: String(leaseDriftMs),
    } });
  }, openTimeoutMs);
  afterAll(() => fleet?.close() ?? services?.close());
  afterEach(async (context) => {
    for (const name of serviceNames) await services.ensure(name);
    await fleet.settle(context);
    expect(fleet.role('all').isUp).toBe(true); // no part of it ended because of what was away
  });

  const stepOf = (gate: Gate): number => existsSync(`${gate.file}.step`) ? Number(readFileSync(`${gate.file}.step`, 'utf8')) : 0;
  /** The gang itself says so: no part of the control plane is asked. */
  const trains = async (gate: Gate, steps: number): Promise<void> => {
    const from = stepOf(gate);
    await until(`${steps} more steps of training`, () => stepOf(gate) >= from + steps, 60_000, () => ({ from, now: stepOf(gate) }));
  };
  const inTraining = async (): Promise<{ id: string; gate: Gate; ends: () => Promise<void> }> => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: program('trainer.ts', gate.file, String(stepMs)), members: 4, devicesPerMember: 2 });
    await fleet.state(id, 'RUNNING');
    const pids = (await fleet.attempt(id)).members.map(({ pid }) => pid);
    return {
      id, gate,
      ends: async () => {
        const committed = Number((await fleet.job(id)).checkpoint?.step ?? 0);
        await fleet.when(id, 'with a newer commit', (job) => Number(job.checkpoint?.step ?? 0) > committed, 40_000);
        gate.open();
        await fleet.state(id, 'SUCCEEDED', 40_000);
        expect((await fleet.attempt(id)).members.map(({ pid }) => pid)).toEqual(pids);
        expect(await fleet.attempts(id)).toHaveLength(1);
        expect(await fleet.moves(id)).not.toContain('VACATING');
      },
    };
  };

  it.each(serviceNames)('law 6: %s that is killed and comes back at once disturbs nothing', { timeout }, async (name) => {
    const job = await inTraining();
    await services.stop(name, 'kill');
    await services.start(name);
    await job.ends();
  });

  it.each(['postgres', 'nats'] as const)('law 6: %s that is away for three leases costs no attempt', { timeout }, async (name) => {
    const job = await inTraining();
    await services.stop(name, 'shutdown');
    await trains(job.gate, 3 * leaseTtlMs / stepMs);
    await services.start(name);
    await trains(job.gate, (leaseTtlMs + leaseDriftMs) / stepMs); // nothing is fenced late either
    await job.ends();
  });

  it('all three away for three leases costs no attempt', { timeout }, async () => {
    const job = await inTraining();
    await Promise.all(serviceNames.map((name) => services.stop(name, 'kill')));
    await trains(job.gate, 3 * leaseTtlMs / stepMs);
    await Promise.all(serviceNames.map((name) => services.start(name)));
    await job.ends();
  });

  it('an exit while Postgres is away is told later, with its code', { timeout }, async () => {
    const gate = fleet.gate();
    const id = await fleet.submit({ argv: ['/bin/sh', '-c', `while [ ! -e ${gate.file} ]; do sleep 0.05; done; exit $((RANK * 7))`], members: 2 });
    await fleet.state(id, 'RUNNING');
    await services.stop('postgres', 'kill');
    gate.open();
    await until('the programs to have ended', () => fleet.programs().length === 0);
    await services.start('postgres');
    const ended = await fleet.state(id, 'FAILED', 40_000);
    expect(ended.reason).toContain('exited with 7');
    expect((await fleet.attempt(id)).members.map(({ exitCode }) => exitCode)).toEqual([0, 7]);
  });

  it('jobs start and run though Temporal is away, up to the bound; then they say supervision_away, and all end when it is back', { timeout }, async () => {
    await services.stop('temporal', 'shutdown');
    const gate = fleet.gate();
    const ids: string[] = [];
    for (let n = 0; n < unsupervisedMax + 2; n++) ids.push(await fleet.submit({ argv: untilOpen(gate), members: 1 }));
    const states = async (): Promise<string[]> => Promise.all(ids.map(async (id) => (await fleet.job(id)).state));
    const count = (all: readonly string[], state: string): number => all.filter((each) => each === state).length;
    await until(`${unsupervisedMax} running jobs`, async () => count(await states(), 'RUNNING') === unsupervisedMax, 30_000, states);
    const waiting = await until('the reason of those that wait', async () => {
      const jobs = await Promise.all(ids.map((id) => fleet.job(id)));
      const queued = jobs.filter(({ state, waiting }) => state === 'QUEUED' && waiting?.code === 'supervision_away');
      return queued.length === 2 && queued;
    }, 20_000, async () => (await Promise.all(ids.map((id) => fleet.job(id)))).map(({ state, waiting }) => ({ state, waiting })));
    expect(waiting[0]?.waiting?.detail).toMatch(/Temporal|supervis/i);
    gate.open();
    await until('the started ones to have ended on their nodes', async () => {
      const rows = await fleet.db.selectFrom('member').select('gone_at').where('job_id', 'in', ids).execute();
      return rows.length === unsupervisedMax && rows.every(({ gone_at }) => gone_at !== null);
    });
    await services.start('temporal');
    for (const id of ids) {
      await fleet.state(id, 'SUCCEEDED', 60_000);
      expect(await fleet.attempts(id)).toHaveLength(1);
    }
  });

  it('the control plane ends within its ten seconds when told to, though NATS, Temporal or Postgres is away', { timeout }, async () => {
    for (const name of serviceNames) {
      await services.stop(name, 'shutdown');
      const role = fleet.role('all');
      const ended = role.kill('SIGTERM').then(() => true);
      await until(`an end while ${name} is away`, () => Promise.race([ended, nextTurn()]), 12_000, () => role.log.slice(-2_000));
      await services.start(name);
      await role.start();
    }
  });
});

const nextTurn = (): Promise<false> => new Promise((resolve) => { setImmediate(() => resolve(false)); });
