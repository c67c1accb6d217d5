/** SQL of role bindings. */
import { sql, type RawBuilder } from 'kysely';
import type { Role, Target } from '../platform/authz-roles.ts';
import type { Db, Tx } from '../platform/db.ts';

export const principalKinds = ['key', 'subject', 'group'] as const;

export interface Principal {
  readonly kind: (typeof principalKinds)[number];
  /** id of a key; subject or group as the identity provider names it */
  readonly id: string;
  /** of a subject or group; empty for a key */
  readonly issuer: string;
}

export interface BindingRow {
  readonly id: string;
  readonly principal_kind: Principal['kind'];
  readonly principal: string;
  readonly issuer: string;
  readonly role: Role;
  readonly org_id: string | null;
  readonly org: string | null;
  readonly team_id: string | null;
  readonly team: string | null;
  readonly team_org: string | null;
  readonly created_at: Date;
  readonly created_by: string | null;
}

export interface NewBinding {
  readonly id: string;
  readonly principal: Principal;
  readonly role: Role;
  readonly target: Target;
  readonly createdBy: string | null;
}

/** The columns that stand for a target: the organisation of a team's binding is the team's. */
export const targetColumns = (target: Target): { org_id: string | null; team_id: string | null } =>
  ({ org_id: target.on === 'org' ? target.org : null, team_id: target.on === 'team' ? target.team : null });

/** Binds a role; a principal has one role on a target, so another one is replaced. @returns id of the binding */
export async function bindRole(tx: Tx, { id, principal, role, target, createdBy }: NewBinding): Promise<string> {
  const row = await tx.insertInto('role_binding')
    .values({ id, principal_kind: principal.kind, principal: principal.id, issuer: principal.issuer, role, ...targetColumns(target), created_by: createdBy })
    .onConflict((on) => on.constraint('role_binding_once').doUpdateSet({ role, created_by: createdBy }))
    .returning('id').executeTakeFirstOrThrow();
  return row.id;
}

const read = (db: Db | Tx, condition: RawBuilder<unknown>, limit: number) => sql<BindingRow>`
  select b.id, b.principal_kind, b.principal, b.issuer, b.role, b.org_id, o.name as org, b.team_id, t.name as team, t.org_id as team_org, b.created_at, b.created_by
  from role_binding b left join org o on o.id = b.org_id left join team t on t.id = b.team_id
  where ${condition} order by b.id limit ${limit}`.execute(db).then(({ rows }) => rows);

/** @param visible  condition on `b`: the targets whose bindings the actor may read */
export const listBindingRows = (db: Db | Tx, visible: RawBuilder<boolean>, after: string | undefined, limit: number): Promise<BindingRow[]> =>
  read(db, sql`${visible} and b.id > ${after ?? ''}`, limit);

export async function findBinding(db: Db | Tx, id: string): Promise<BindingRow | undefined> {
  return (await read(db, sql`b.id = ${id}`, 1))[0];
}

export async function deleteBinding(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('role_binding').where('id', '=', id).execute();
}

/** All roles of a key, wherever they are bound. */
export const bindingsOfKey = (db: Db | Tx, keyId: string): Promise<BindingRow[]> =>
  read(db, sql`b.principal_kind = 'key' and b.principal = ${keyId}`, 10_000);
