/** The server's side of P1–P11: which beats count, what they change, and what they are answered with. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmTerminated } from '#services/fleet/confirm-terminated.ts';
import { revokeCredential } from '#services/fleet/credentials.ts';
import type { Beat } from '#services/fleet/model.ts';
import { inTransaction, type Tx } from '#services/platform/db.ts';
import { until } from '#test/setup/events.ts';
import { accepted, address, exited, Fleet, gone, graceSeconds, ms, ready, refused, type Speaker } from '#test/setup/heard-fleet.ts';

let fleet: Fleet;
beforeAll(async () => { fleet = await Fleet.open(); });
afterAll(() => fleet.close());

const db = () => fleet.world.db;
const leftMs = async (node: Speaker): Promise<number> =>
  (await sql<{ left: number }>`select (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as left from node where id = ${node.id}`.execute(db())).rows[0]!.left;

/** Sends it and asks for the refusal, and that no row has changed. */
async function changesNothing(node: Speaker, beat: unknown, refusal: string): Promise<void> {
  const before = await fleet.everything();
  expect(await node.send(beat)).toMatchObject({ refused: refusal });
  expect(await fleet.everything()).toBe(before);
}

describe('P1 sessions', () => {
  it('a new process is answered by a hello with a rising number, without lists, lease and news', async () => {
    const node = await fleet.node();
    const { keys } = await fleet.running([node]);
    const before = await fleet.nodeRow(node);
    const [first, second] = [await node.beat([exited(keys[0]!, 0)], { session: '0' }), await node.beat([], { session: '0' })];
    expect(first).toMatchObject({ hello: true, run: [], stop: [], ack: [] });
    expect(BigInt(second.session)).toBeGreaterThan(BigInt(first.session));
    expect(BigInt(first.session)).toBeGreaterThan(BigInt(node.session));
    expect((await fleet.member(keys[0]!)).gone_at).toBeNull();
    const after = await fleet.nodeRow(node);
    expect({ ...after, session_issued: 0n }).toEqual({ ...before, session_issued: 0n });
  });

  it('a delayed beat of an older process changes nothing once the newer one has spoken', async () => {
    const node = await fleet.node();
    const { keys } = await fleet.running([node]);
    const delayed = node.compose([exited(keys[0]!, 1)]);
    await node.hello();
    await node.beat([ready(keys[0]!)]);
    await changesNothing(node, delayed, 'stale');
  });

  it('a number of an older incarnation is never issued again', async () => {
    const node = await fleet.node();
    await db().updateTable('cluster').set({ incarnation: 3 }).execute();
    await node.hello();
    await db().updateTable('cluster').set({ incarnation: 1 }).execute();
    expect(BigInt(node.session)).toBe((3n << 32n) + 1n);
  });
});

describe('P2 order', () => {
  it('an older or repeated beat changes nothing', async () => {
    const node = await fleet.node();
    const { keys } = await fleet.running([node]);
    const older = node.compose([exited(keys[0]!, 1)]);
    const newest = node.compose([ready(keys[0]!)]);
    await node.send(newest);
    await changesNothing(node, older, 'stale');
    await changesNothing(node, newest, 'stale');
  });

  it('of two beats at once with one number, one is taken', async () => {
    const node = await fleet.node();
    const beat = node.compose();
    const answers = await Promise.all([node.send(beat), node.send(beat), node.send(beat)]);
    expect(answers.filter((answer) => !('refused' in answer))).toHaveLength(1);
  });
});

describe('what is not a beat changes nothing', () => {
  it.each<[string, (beat: Beat) => unknown]>([
    ['nothing', () => null], ['a text', () => 'beat'], ['an empty object', () => ({})],
    ['a negative sequence', (beat) => ({ ...beat, sequence: -1 })],
    ['a session that no column holds', (beat) => ({ ...beat, session: '9999999999999999999' })],
    ['a number for a session', (beat) => ({ ...beat, session: 7 })],
    ['a job id with a path', (beat) => ({ ...beat, members: [gone({ job: '../../etc', epoch: '1', rank: 0 })] })],
    ['an exit code beyond a byte', (beat) => ({ ...beat, members: [exited({ job: `job_${'0'.repeat(26)}`, epoch: '1', rank: 0 }, 256)] })],
    ['a process id that no column holds', (beat) => ({ ...beat, members: [{ ...accepted({ job: `job_${'0'.repeat(26)}`, epoch: '1', rank: 0 }), pid: 2 ** 40 }] })],
    ['a member told twice', (beat) => ({ ...beat, members: [0, 0].map((rank) => gone({ job: `job_${'0'.repeat(26)}`, epoch: '1', rank })) })],
    ['a NUL in a boot id', (beat) => ({ ...beat, bootId: 'a\u0000b' })],
    ['more members than a node may have', (beat) => ({ ...beat, members: Array.from({ length: 1_025 }, (_, rank) => gone({ job: `job_${'0'.repeat(26)}`, epoch: '1', rank })) })],
  ])('%s', async (_what, spoil) => {
    const node = await fleet.node();
    await changesNothing(node, spoil(node.compose()), 'invalid');
  });

  it('a beat of another cluster', async () => {
    const node = await fleet.node();
    await changesNothing(node, node.compose([], { clusterId: 'another' }), 'invalid');
  });

  it('a beat of a node that nobody enrolled', async () => {
    const node = await fleet.node();
    await changesNothing(node, node.compose([], { node: 'stranger' }), 'unknown_node');
  });

  it('a current beat that tells of jobs, epochs and ranks that are none of the node’s moves none of them', async () => {
    const [node, other] = [await fleet.node(), await fleet.node()];
    const { job, keys } = await fleet.running([other]);
    const own = await fleet.running([node]);
    await node.beat([
      exited(keys[0]!, 1), gone({ ...own.keys[0]!, rank: 9 }), gone({ ...own.keys[0]!, epoch: '5' }),
      refused({ job: `job_${'0'.repeat(26)}`, epoch: '1', rank: 0 }), ready(own.keys[0]!),
    ]);
    expect([(await fleet.row(job)).state, (await fleet.row(own.job)).state]).toEqual(['RUNNING', 'RUNNING']);
    expect((await fleet.member(keys[0]!)).gone_at).toBeNull();
    expect(await fleet.attempt(own.job)).toMatchObject({ gone: 0 });
  });
});

it('a revoked credential, and an older one, is refused at the next beat and changes nothing', async () => {
  const node = await fleet.node();
  const { keys } = await fleet.running([node]);
  await inTransaction(db(), (tx) => revokeCredential(tx, node.id));
  await changesNothing(node, node.compose([exited(keys[0]!, 0)]), 'credential_revoked');
  await changesNothing(node, node.compose([], { session: '0' }), 'credential_revoked');
  await db().updateTable('node_credential').set({ revoked_at: null, version: 2 }).where('node_id', '=', node.id).execute();
  await changesNothing(node, node.compose(), 'credential_revoked');
});

describe('P3, P4 answers', () => {
  it('echo the beat, and the lease that they grant stands in the row before', async () => {
    const node = await fleet.node();
    await fleet.pass(ms.lease / 2);
    const beat = node.compose();
    const answer = await node.send(beat);
    expect(answer).toMatchObject({ echo: beat.sequence, session: node.session, leaseTtlMs: ms.lease, incarnation: 1 });
    expect(await leftMs(node)).toBeGreaterThan(ms.lease - 5_000);
  });

  it('a stop that is written raises the generation of the list that has it', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    const before = await node.beat([ready(keys[0]!)]);
    await fleet.vacate(job, 'drained', 'drain');
    const after = await node.beat([ready(keys[0]!)]);
    expect(BigInt(after.generation)).toBeGreaterThan(BigInt(before.generation));
    expect(after).toMatchObject({ run: [], stop: [{ ...keys[0]!, reason: 'drain', graceMs: graceSeconds * 1_000 }] });
  });

  it('P4 a beat that meets a stop under way answers with the lists of one moment', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    const decided = await fleet.decided(job);
    const [answer] = await Promise.all([node.beat([ready(keys[0]!)]), fleet.vacate(job, 'drained', 'drain', decided)]);
    const next = await node.beat([ready(keys[0]!)]);
    const isTold = answer.stop.length === 1;
    expect(BigInt(next.generation) - BigInt(answer.generation)).toBe(isTold ? 0n : 1n);
    expect(next.stop).toHaveLength(1);
  });
});

describe('P5 orders', () => {
  it('a member is sent as start until it was accepted, then as keep', async () => {
    const node = await fleet.node();
    const job = await fleet.job();
    const [key] = await fleet.place(job, [node]);
    expect((await node.beat()).run).toMatchObject([{ ...key!, order: 'start' }]);
    expect((await node.beat()).run).toMatchObject([{ ...key!, order: 'start' }]);
    expect((await node.beat([accepted(key!)])).run).toEqual([{ ...key!, order: 'keep' }]);
    expect((await node.beat()).run).toEqual([{ ...key!, order: 'keep' }]);
  });

  it('rank > 0 is ordered only after rank 0’s address is known, and gets it', async () => {
    const [first, second] = [await fleet.node(), await fleet.node()];
    const job = await fleet.job({ members: 2 });
    const keys = await fleet.place(job, [first, second]);
    expect((await second.beat()).run).toEqual([]);
    expect((await fleet.member(keys[1]!)).ordered_boot_id).toBeNull();
    await first.beat([accepted(keys[0]!)]);
    expect((await second.beat()).run).toMatchObject([{ ...keys[1]!, order: 'start', launch: { master: { address, port: 29_500 }, worldSize: 2 } }]);
  });

  it('rank 0 that exits before its acceptance was told still tells its address', async () => {
    const [first, second] = [await fleet.node(), await fleet.node()];
    const job = await fleet.job({ members: 2 });
    const keys = await fleet.place(job, [first, second]);
    await first.beat([{ ...exited(keys[0]!, 0), address, port: 29_501 } as ReturnType<typeof exited>]);
    expect((await second.beat()).run).toMatchObject([{ order: 'start', launch: { master: { port: 29_501 } } }]);
  });

  it('a member that was kept and is reported gone is gone: it is never started again', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    expect((await node.beat([gone(keys[0]!)])).run).toEqual([]);
    expect(await fleet.supervise(job)).toEqual(['vacate memberFailed', 'end', 'done']);
    expect((await node.beat()).run).toEqual([]);
  });
});

it('P7 a member that was never started is stopped, answered with gone, and frees its gang', async () => {
  const node = await fleet.node();
  const job = await fleet.job();
  const [key] = await fleet.place(job, [node]);
  await fleet.vacate(job, 'drained', 'drain');
  expect(await node.beat()).toMatchObject({ run: [], stop: [key] });
  expect(await node.beat([gone(key!)])).toMatchObject({ run: [], stop: [], ack: [key] });
  expect(await fleet.supervise(job)).toEqual(['end', 'done']);
  expect(await fleet.allocations(job)).toEqual([]);
});

it('P8 exits and tombstones are acknowledged when they are recorded, repeated ones too; living members never', async () => {
  const node = await fleet.node();
  const { keys } = await fleet.running([node]);
  expect((await node.beat([ready(keys[0]!)])).ack).toEqual([]);
  expect((await node.beat([exited(keys[0]!, 0)])).ack).toEqual([keys[0]]);
  expect(await fleet.member(keys[0]!)).toMatchObject({ gone_kind: 'exited', exit_code: 0 });
  expect((await node.beat([exited(keys[0]!, 0)])).ack).toEqual([keys[0]]);
});

describe('P10 a change of boot', () => {
  it('frees by proof: accepted and merely ordered members are gone, the epoch is fenced and the gang leaves', async () => {
    const [node, other] = [await fleet.node(), await fleet.node()];
    const accepting = await fleet.running([node, other]);
    const orderedOnly = await fleet.job();
    const [ordered] = await fleet.place(orderedOnly, [node]);
    await node.beat([ready(accepting.keys[0]!)]);
    await node.reboot();
    expect(await node.beat()).toMatchObject({ run: [], stop: [] });
    expect(await fleet.member(accepting.keys[0]!)).toMatchObject({ gone_kind: 'proof' });
    expect(await fleet.member(ordered!)).toMatchObject({ gone_kind: 'proof' });
    expect(await fleet.row(accepting.job)).toMatchObject({ state: 'VACATING', vacate_reason: 'lost' });
    expect(await fleet.attempt(accepting.job)).toMatchObject({ fenced: true });
    expect(await fleet.row(orderedOnly)).toMatchObject({ state: 'VACATING', vacate_reason: 'lost' });
    expect((await other.beat([ready(accepting.keys[1]!)])).stop).toMatchObject([{ reason: 'lost', graceMs: ms.lostGrace }]);
  });

  it('keeps an exit that the last boot wrote, and takes its word that a member is gone for the proof that it is', async () => {
    const node = await fleet.node();
    const done = await fleet.running([node]);
    const vanished = await fleet.running([node]);
    await node.reboot();
    await node.beat([exited(done.keys[0]!, 0), gone(vanished.keys[0]!)]);
    expect(await fleet.supervise(done.job)).toEqual(['succeed', 'done']);
    expect(await fleet.row(vanished.job)).toMatchObject({ state: 'VACATING', vacate_reason: 'lost' });
  });

  it('leaves a member alone whose order had not gone out, and orders it to the new boot', async () => {
    const node = await fleet.node();
    const job = await fleet.job();
    const [key] = await fleet.place(job, [node]);
    await node.reboot();
    expect((await node.beat()).run).toMatchObject([{ ...key!, order: 'start' }]);
    expect(await fleet.member(key!)).toMatchObject({ ordered_boot_id: node.bootId, gone_at: null });
  });

  it('the boot before is over: it is told to stop what it runs, gets no work and moves nothing', async () => {
    const node = await fleet.node();
    const { keys } = await fleet.running([node]);
    const [oldBoot, oldSession] = [node.bootId, node.session];
    await node.reboot();
    await node.beat();
    const row = await fleet.nodeRow(node);
    const answer = await node.beat([ready(keys[0]!)], { bootId: oldBoot, session: String(BigInt(node.session) + 1n) });
    expect(answer).toMatchObject({ run: [], stop: [keys[0]], ack: [] });
    expect(await fleet.nodeRow(node)).toEqual(row);
    await changesNothing(node, node.compose([ready(keys[0]!)], { bootId: oldBoot, session: oldSession, sequence: 99 }), 'stale');
  });
});

it('P11 a member without a live row is told to stop, and its node takes no work until it is gone', async () => {
  const node = await fleet.node();
  const stray = { job: `job_${'0'.repeat(26)}`, epoch: '4294967297', rank: 0 };
  expect((await node.beat([ready(stray)])).stop).toEqual([{ ...stray, reason: 'superseded', graceMs: ms.lostGrace }]);
  expect(await fleet.nodeRow(node)).toMatchObject({ stray_members: 1, schedulable: false });
  const job = await fleet.job();
  expect(await fleet.tryPlace(job, [node])).toBe('node_changed');
  expect(await node.beat([exited(stray, null)])).toMatchObject({ stop: [], ack: [stray] });
  expect(await fleet.tryPlace(job, [node])).toBe('placed');
});

describe('P31 a proof', () => {
  const prove = (node: Speaker, bootId: string) =>
    inTransaction(db(), (tx) => confirmTerminated(tx, { node: node.id, bootId, proof: 'the provider says so' }, fleet.world.config));

  it('is bound to a boot: that boot never takes work again, and what it reports alive is told to stop', async () => {
    const node = await fleet.node();
    const { job, keys } = await fleet.running([node]);
    await prove(node, node.bootId);
    expect(await fleet.row(job)).toMatchObject({ state: 'VACATING', vacate_reason: 'lost' });
    expect(await node.beat([ready(keys[0]!)])).toMatchObject({ run: [], stop: [keys[0]], ack: [] });
    expect(await fleet.nodeRow(node)).toMatchObject({ state: 'DEAD', schedulable: false });
    await node.reboot();
    await node.beat();
    expect(await fleet.nodeRow(node)).toMatchObject({ state: 'LIVE', schedulable: true });
  });

  it('that comes between a beat’s reading and its writing leaves the boot out of service', async () => {
    const node = await fleet.node();
    const answer = await meanwhile(node, (tx) => confirmTerminated(tx, { node: node.id, bootId: node.bootId, proof: 'the provider says so' }, fleet.world.config));
    expect(answer).toMatchObject({ refused: 'stale' });
    expect(await fleet.nodeRow(node)).toMatchObject({ state: 'DEAD', schedulable: false });
  });
});

it('a node that fell silent between its beat’s reading and its writing is told to be heard again', async () => {
  const node = await fleet.node();
  const { version } = await fleet.nodeRow(node);
  expect(await meanwhile(node, (tx) => sql`update node set state = 'UNKNOWN', version = version + 1 where id = ${node.id}`.execute(tx))).not.toHaveProperty('refused');
  expect(await fleet.nodeRow(node)).toMatchObject({ state: 'LIVE', version: version + 2n });
  const events = await db().selectFrom('outbox').select('version').where('key', '=', `node/${node.id}`).orderBy('id', 'desc').limit(1).execute();
  expect(events).toEqual([{ version: version + 2n }]);
});

/** Something happens to the node after its beat was read and before it is written. @returns the beat's answer */
async function meanwhile(node: Speaker, happens: (tx: Tx) => Promise<unknown>): Promise<unknown> {
  let answer: Promise<unknown> | undefined;
  await inTransaction(db(), async (tx) => {
    await happens(tx);
    answer = node.send(node.compose());
    await until(async () => (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db())).rows.length > 0);
  });
  return answer;
}

it('a quiet beat writes the lease and nothing else', async () => {
  const node = await fleet.node();
  const { keys } = await fleet.running([node]);
  await node.beat([ready(keys[0]!)]);
  const events = async () => (await db().selectFrom('outbox').select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow()).n;
  const [before, eventsBefore] = [await fleet.nodeRow(node), await events()];
  await node.beat([ready(keys[0]!)]);
  const after = await fleet.nodeRow(node);
  const timeless = { last_beat_at: null, lease_until: null, sequence: 0n };
  expect({ ...after, ...timeless }).toEqual({ ...before, ...timeless });
  expect(await events()).toBe(eventsBefore);
});
