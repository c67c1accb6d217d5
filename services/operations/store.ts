/** SQL of operations. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { TeamScope } from '../platform/authz-scope.ts';
import type { DB } from '../platform/database.ts';
import type { Db, Tx } from '../platform/db.ts';
import type { OperationKind, OperationState } from './model.ts';

export type OperationRow = Omit<Selectable<DB['operation']>, 'kind' | 'state'> & { readonly kind: OperationKind; readonly state: OperationState };

export interface NewOperation {
  readonly id: string;
  readonly kind: OperationKind;
  readonly target: string;
  readonly teamId: string | null;
  readonly reason: string | null;
  readonly actorId: string;
  readonly requestId: string;
}

/** @returns the one of this kind that runs for the target: this one, or an earlier one */
export async function insertOperation(tx: Tx, { id, kind, target, teamId, reason, actorId, requestId }: NewOperation): Promise<OperationRow> {
  await tx.insertInto('operation').values({ id, kind, target, team_id: teamId, reason, actor_id: actorId, request_id: requestId })
    .onConflict((conflict) => conflict.columns(['kind', 'target']).where('state', '=', 'RUNNING').doNothing()).execute();
  const row = await tx.selectFrom('operation').selectAll().where('kind', '=', kind).where('target', '=', target).where('state', '=', 'RUNNING').executeTakeFirstOrThrow();
  return row as OperationRow;
}

export async function selectOperation(db: Db | Tx, scope: TeamScope, id: string): Promise<OperationRow | undefined> {
  return await db.selectFrom('operation').selectAll().where('id', '=', id).where(scope.where(sql`team_id`)).executeTakeFirst() as OperationRow | undefined;
}

export async function runningOperation(db: Db | Tx, kind: OperationKind, target: string): Promise<OperationRow | undefined> {
  return await db.selectFrom('operation').selectAll().where('kind', '=', kind).where('target', '=', target).where('state', '=', 'RUNNING').executeTakeFirst() as OperationRow | undefined;
}

export interface OperationFilter { readonly state?: OperationState; readonly kind?: OperationKind; readonly target?: string }

/** Newest first, below id `before`. */
export async function selectOperations(db: Db, scope: TeamScope, filter: OperationFilter, before: string | undefined, limit: number): Promise<OperationRow[]> {
  let query = db.selectFrom('operation').selectAll().where(scope.where(sql`team_id`)).orderBy('id', 'desc').limit(limit);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  if (filter.target !== undefined) query = query.where('target', '=', filter.target);
  if (before !== undefined) query = query.where('id', '<', before);
  return await query.execute() as OperationRow[];
}

/**
 * Ends the operations whose target says that they are over. The target decides, so nobody has to remember to tell: a
 * cancellation is over when its job is, a drain when no member is left or the cordon was lifted.
 *
 * @param id  only this one; absent: all that run
 */
export async function settleOperations(db: Db | Tx, id?: string): Promise<number> {
  const chosen: RawBuilder<unknown> = id === undefined ? sql`true` : sql`o.id = ${id}`;
  const { rows } = await sql`
    with over as (
      select o.id, case when j.state = 'CANCELLED' then null else 'the job ended ' || j.state || ' before its processes were told' end as failure
      from operation o join job j on o.target = 'job/' || j.id
      where o.state = 'RUNNING' and o.kind = 'job.cancel' and j.ended_at is not null and ${chosen}
      union all
      select o.id, case when n.cordoned_by_operator then null else 'the cordon was lifted before the node was empty' end
      from operation o join node n on o.target = 'node/' || n.id
      where o.state = 'RUNNING' and o.kind = 'node.drain' and ${chosen}
        and (not n.cordoned_by_operator or not exists (select from member m where m.node_id = n.id and m.gone_at is null)))
    update operation o set state = case when over.failure is null then 'SUCCEEDED' else 'FAILED' end, detail = over.failure, ended_at = clock_timestamp()
    from over where o.id = over.id and o.state = 'RUNNING' returning o.id`.execute(db);
  return rows.length;
}

/** Forgets ended operations past their time, at most `rowsMax` a call. */
export async function forgetOperations(db: Db, hours: number, rowsMax: number): Promise<number> {
  const { rows } = await sql`
    delete from operation where id in (
      select id from operation where ended_at < clock_timestamp() - make_interval(hours => ${hours}) limit ${rowsMax} for update skip locked)
    returning id`.execute(db);
  return rows.length;
}
