/** SQL of the audit log. There is none that changes a row: the services' database role could not run it. */
import { sql, type Selectable } from 'kysely';
import type { DB } from '../platform/database.ts';
import type { Db, Tx } from '../platform/db.ts';

export type AuditRow = Selectable<DB['audit']>;

export interface NewAudit {
  readonly actor: string;
  readonly actorName: string;
  readonly action: string;
  readonly target: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
  readonly reason: string | null;
  readonly request: string;
  readonly workflow: string | null;
}

export async function insertAudit(tx: Tx, entries: readonly NewAudit[]): Promise<void> {
  const rows = entries.map((entry) => ({ ...entry, before: entry.before?.toString('hex'), after: entry.after?.toString('hex') }));
  await sql`
    insert into audit (actor_id, actor_name, action, target, before_sha256, after_sha256, reason, request_id, workflow_id)
    select actor, "actorName", action, target, decode(before, 'hex'), decode(after, 'hex'), reason, request, workflow
    from json_to_recordset(${JSON.stringify(rows)}) as x (
      actor text, "actorName" text, action text, target text, before text, after text, reason text, request text, workflow text)`.execute(tx);
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly request?: string;
  /** from this instant on, RFC 3339 */
  readonly since?: string;
  /** before this instant, RFC 3339 */
  readonly until?: string;
}

/** Newest first, below id `before`. */
export async function selectAudit(db: Db, filter: AuditFilter, before: bigint | undefined, limit: number): Promise<AuditRow[]> {
  let query = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
  if (filter.actor !== undefined) query = query.where('actor_id', '=', filter.actor);
  if (filter.action !== undefined) query = query.where('action', '=', filter.action);
  if (filter.target !== undefined) query = query.where('target', '=', filter.target);
  if (filter.request !== undefined) query = query.where('request_id', '=', filter.request);
  if (filter.since !== undefined) query = query.where('at', '>=', sql<Date>`${filter.since}::timestamptz`);
  if (filter.until !== undefined) query = query.where('at', '<', sql<Date>`${filter.until}::timestamptz`);
  if (before !== undefined) query = query.where('id', '<', before);
  return query.execute();
}

/** Makes the coming months' partitions and drops those past their retention. @returns how many were dropped */
export async function keepAudit(db: Db, months: number): Promise<number> {
  const { rows } = await sql<{ dropped: number }>`select keep_audit(${months}) as dropped`.execute(db);
  return rows[0]?.dropped ?? 0;
}
