/** Schedulers of the test: snapshots that may be old, first-fit plans, the real commit. Two may believe that they lead. */
import { sql } from 'kysely';
import type { Db } from '#services/platform/db.ts';
import { commitPlacements } from '#services/scheduler/commit.ts';
import type { PendingJob, Placement } from '#services/scheduler/model.ts';
import { readNodes, readPending } from '#services/scheduler/store.ts';

export type Holder = 's0' | 's1';
interface Plan { readonly placement: Placement; readonly token: bigint; readonly incarnation: number }

export class Schedulers {
  readonly #db: Db;
  readonly #tokens = new Map<Holder, bigint>();
  readonly #plans = new Map<Holder, Plan>();
  holder: Holder = 's0';

  constructor(db: Db) { this.#db = db; }

  async take(holder: Holder): Promise<void> {
    const { rows } = await sql<{ token: bigint }>`update leader set token = token + 1, holder = ${holder} where name = 'scheduler' returning token`.execute(this.#db);
    this.#tokens.set(holder, rows[0]!.token);
    this.holder = holder;
  }

  /** @param offset  where the search for devices begins, so that plans differ @returns whether there is one */
  async plan(holder: Holder, jobId: string, offset: number): Promise<boolean> {
    const [pending] = await readPending(this.#db, [jobId]);
    const placement = pending && await firstFit(this.#db, pending.job, offset);
    const token = this.#tokens.get(holder);
    if (!placement || token === undefined) return false;
    const { incarnation } = await this.#db.selectFrom('cluster').select('incarnation').executeTakeFirstOrThrow();
    this.#plans.set(holder, { placement, token, incarnation });
    return true;
  }

  async commit(holder: Holder): Promise<string> {
    const plan = this.#plans.get(holder);
    if (!plan) return 'no plan';
    const { items } = await commitPlacements(this.#db, {
      leadership: { name: 'scheduler', holder, token: plan.token }, incarnation: plan.incarnation, items: [plan.placement], membersMax: 200,
    });
    return items.get(plan.placement.job.id)!.verdict;
  }

  async place(jobId: string, offset = 0): Promise<boolean> {
    return await this.plan(this.holder, jobId, offset) && (await this.commit(this.holder)) === 'placed';
  }
}

async function firstFit(db: Db, job: PendingJob, offset: number): Promise<Placement | undefined> {
  const own = new Set(job.ticket?.shares.flatMap((share) => share.devices.map((device) => `${share.nodeId}/${device.index}`)));
  const free = (await readNodes(db)).filter((node) => node.schedulable)
    .flatMap((node) => node.devices.filter((device) => device.freeMilli === 1_000 || own.has(`${node.id}/${device.index}`)).map((device) => ({ nodeId: node.id, index: device.index })));
  const turned = [...free.slice(offset % (free.length || 1)), ...free.slice(0, offset % (free.length || 1))];
  const chosen = turned.sort((a, b) => Number(own.has(`${b.nodeId}/${b.index}`)) - Number(own.has(`${a.nodeId}/${a.index}`))).slice(0, job.shape.members);
  if (chosen.length < job.shape.members) return undefined;
  const seen = new Map<string, number>();
  return { job, members: chosen.map(({ nodeId, index }, rank) => {
    const localRank = seen.get(nodeId) ?? 0;
    seen.set(nodeId, localRank + 1);
    return { rank, nodeId, localRank, devices: [index] };
  }) };
}
