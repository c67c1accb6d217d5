import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '#services/platform/db.ts';
import { markCheckpointBad } from '#services/checkpoints/mark-bad.ts';
import { openWorld, type World } from '#test/setup/world.ts';
import { commitAt, endEpoch, epoch1, fence, insertGang, insertNodes, pointerOf, reportAs, setState, shard, startEpoch, traces } from '#test/integration/checkpoints/gang.ts';

let world: World;
const members = 2;
beforeAll(async () => {
  world = await openWorld({ MUSTER_CHECKPOINT_SHARD_SETS_KEPT: '3' });
  await insertNodes(world.db, members);
});
afterAll(() => world.close());

/** `back`: how many epochs ago the sender lives; 0 is the current one. */
type Act =
  | { readonly act: 'report'; readonly step: number; readonly rank: number; readonly back: number; readonly content: string }
  | { readonly act: 'commit' | 'publish'; readonly step: number; readonly back: number }
  | { readonly act: 'bad' | 'fence' | 'drain' | 'lose' | 'restart' };

const step = fc.integer({ min: 0, max: 5 });
const back = fc.constantFrom(0, 0, 0, 1, 2);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('report' as const), step, rank: fc.integer({ min: 0, max: members - 1 }), back, content: fc.constantFrom('good', 'good', 'good', 'altered') }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constantFrom('commit' as const, 'publish' as const), step, back }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('bad' as const, 'fence' as const, 'drain' as const, 'lose' as const, 'restart' as const, 'restart' as const) }) },
);

class Run {
  readonly job: string;
  epoch = epoch1;
  mayPublish = true;
  constructor(job: string) { this.job = job; }

  async do(what: Act): Promise<void> {
    const epoch = 'back' in what ? this.epoch - BigInt(what.back) : this.epoch;
    switch (what.act) {
      case 'report': await reportAs(world.db, world.config, { job: this.job, epoch, step: what.step }, what.rank, [shard(what.step, what.rank, what.content)]); break;
      case 'commit': return this.commit(epoch, what);
      case 'publish':
        for (let rank = 0; rank < members; rank++) await reportAs(world.db, world.config, { job: this.job, epoch, step: what.step }, rank);
        return this.commit(epoch, what);
      case 'bad': {
        const pointer = await pointerOf(world.db, this.job);
        if (pointer?.checkpoint_id) await inTransaction(world.db, (tx) => markCheckpointBad(tx, { jobId: this.job, checkpointId: pointer.checkpoint_id!, node: 'node-0', reason: 'torn' }));
        break;
      }
      case 'fence': await fence(world.db, this.job, this.epoch); this.mayPublish = false; break;
      case 'drain': await setState(world.db, this.job, 'VACATING', 'drain'); break;
      case 'lose':
        await fence(world.db, this.job, this.epoch);
        await setState(world.db, this.job, 'VACATING', 'lost');
        this.mayPublish = false;
        break;
      case 'restart':
        await endEpoch(world.db, this.job, this.epoch);
        await startEpoch(world.db, this.job, ++this.epoch);
        this.mayPublish = true;
    }
  }

  async commit(epoch: bigint, what: { step: number; back: number }): Promise<void> {
    const before = await pointerOf(world.db, this.job);
    const verdict = await commitAt(world.db, world.config, { job: this.job, epoch, step: what.step });
    const after = await pointerOf(world.db, this.job);
    if (verdict.kind !== 'committed') return expect(after).toEqual(before);
    expect(this.mayPublish && what.back === 0).toBe(true);
    expect(after).toEqual({ checkpoint_id: verdict.checkpoint, epoch, step: BigInt(what.step) });
    if (before?.checkpoint_id) expect(after!.step).toBeGreaterThan(before.step);
  }

  /** The pointer names the newest readable commit, or nothing where all are bad. */
  async check(): Promise<void> {
    const pointer = await pointerOf(world.db, this.job);
    const all = await world.db.selectFrom('checkpoint').selectAll().where('job_id', '=', this.job).orderBy('epoch', 'desc').orderBy('step', 'desc').execute();
    const readable = all.filter((row) => row.state === 'COMMITTED');
    expect(pointer === undefined).toBe(all.length === 0);
    if (!pointer) return;
    if (pointer.checkpoint_id === null) {
      const shards = await world.db.selectFrom('checkpoint_shard').select(['epoch', 'step']).where('job_id', '=', this.job).execute();
      expect(readable.filter((row) => shards.some((kept) => kept.epoch === row.epoch && kept.step === row.step))).toEqual([]);
    } else {
      expect(pointer.checkpoint_id).toBe(readable[0]?.id);
    }
    for (const [newer, older] of readable.slice(1).map((row, index) => [readable[index]!, row] as const)) expect(newer.step).toBeGreaterThan(older.step);
  }
}

const isMessage = (what: Act): boolean => what.act === 'report' || what.act === 'commit' || what.act === 'publish';

it('law 5: whatever is told late, twice or by an older epoch, only the current one moves the pointer, and only forward', async () => {
  await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
    const run = new Run(await insertGang(world.db, members));
    for (const what of acts) {
      await run.do(what);
      if (!isMessage(what)) { await run.check(); continue; }
      const before = await traces(world.db, run.job);
      await run.do(what);
      expect(await traces(world.db, run.job)).toEqual(before);
      await run.check();
    }
  }), { numRuns: 25 });
}, 120_000);

it('law 5: racing commits of one epoch, and a fence between them, leave one order', async () => {
  await fc.assert(fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 4 }), fc.boolean(), async (steps, isFenced) => {
    const job = await insertGang(world.db, members);
    for (const each of steps) for (let rank = 0; rank < members; rank++) await reportAs(world.db, world.config, { job, epoch: epoch1, step: each }, rank);
    const [verdicts] = await Promise.all([
      Promise.all(steps.map((each) => commitAt(world.db, world.config, { job, epoch: epoch1, step: each }))),
      isFenced ? inTransaction(world.db, async (tx) => {
        await tx.selectFrom('job').select('id').where('id', '=', job).forUpdate().execute();
        await tx.updateTable('attempt').set({ fenced: true }).where('job_id', '=', job).execute();
      }) : undefined,
    ]);
    const committed = verdicts.flatMap((verdict) => (verdict.kind === 'committed' ? [verdict.step] : []));
    const pointer = await pointerOf(world.db, job);
    expect(pointer?.step).toEqual(committed.sort((a, b) => Number(b - a))[0]);
    if (!isFenced) expect(pointer?.step).toBe(BigInt(Math.max(...steps)));
  }), { numRuns: 20 });
}, 60_000);
