/** Who has which role where. */
import { sql } from 'kysely';
import { holds, mayOn, type Actor, type Role, type Scope } from '../platform/authz-roles.ts';
import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId, newId } from '../platform/ids.ts';
import { bindRole, deleteBinding, findBinding, listBindingRows, type BindingRow, type Principal } from './bindings-store.ts';
import { getKey } from './keys.ts';
import { requireCovers, targetNamed, targetOf, targetsWhere, type TargetNames } from './targets.ts';

export interface BindRequest extends TargetNames {
  readonly principal: Principal;
  readonly role: Role;
}

/** Bindings that the caller may read, by id, from after `after`. */
export const listBindings = (db: Db, actor: Actor, after: string | undefined, limit: number): Promise<BindingRow[]> =>
  listBindingRows(db, targetsWhere(actor, 'bindings:read'), after, limit);

/**
 * Gives a principal a role on a team, an organisation or the cluster, in place of the one that it has there.
 *
 * @throws `team_not_found`, `org_not_found`, `key_not_found` 404 · `forbidden` 403, where the caller has not as much himself · `last_admin` 409
 */
export async function bind(tx: Tx, actor: Actor, { principal, role, ...names }: BindRequest): Promise<BindingRow> {
  const target = await targetNamed(tx, actor, 'bindings:write', names);
  const narrowing = principal.kind === 'key' ? (await getKey(tx, actor, 'keys:write', principal.id, true)).scopes : ['*'];
  requireCovers(actor, role, (scope) => holds(narrowing, scope), target);
  const id = await bindRole(tx, { id: newId('bind'), principal, role, target, createdBy: actor.id });
  await requireOtherAdmin(tx);
  return await findBinding(tx, id) as BindingRow;
}

/** Takes a role away. @throws `binding_not_found` 404 · `forbidden` 403 · `last_admin` 409 */
export async function unbind(tx: Tx, actor: Actor, id: string): Promise<BindingRow> {
  const binding = await getBinding(tx, actor, 'bindings:write', id);
  await deleteBinding(tx, id);
  await requireOtherAdmin(tx);
  return binding;
}

async function getBinding(tx: Tx, actor: Actor, scope: Scope & `bindings:${string}`, id: string): Promise<BindingRow> {
  const row = isId('bind', id) ? await findBinding(tx, id) : undefined;
  if (!row || !mayOn(actor, 'bindings:read', targetOf(row))) throw problem('binding_not_found');
  if (!mayOn(actor, scope, targetOf(row))) throw problem('forbidden', { scope });
  return row;
}

/**
 * After a change: somebody must still be admin of the cluster, or nobody could undo it. A key counts while it is valid
 * without an end; a subject or group counts, as whether it still exists only the identity provider knows.
 *
 * @throws `last_admin` 409
 */
export async function requireOtherAdmin(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('last admin', 0))`.execute(tx); // two that take each other's role away
  const { rows } = await sql`
    select from role_binding b left join api_key k on b.principal_kind = 'key' and k.id = b.principal
    where b.role = 'admin' and b.org_id is null and b.team_id is null
      and (b.principal_kind <> 'key' or k.revoked_at is null and k.expires_at is null and '*' = any(k.scopes)) limit 1`.execute(tx);
  if (rows.length === 0) throw problem('last_admin');
}
