import { mayOn, type Actor, type Scope } from '../platform/authz-roles.ts';
import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { findKey, listKeyRows, type KeyRow } from './keys-store.ts';
import { targetOf, targetsWhere } from './targets.ts';

/** Keys that the caller may read, by id, from after `after`. */
export const listKeys = (db: Db, actor: Actor, after: string | undefined, limit: number): Promise<KeyRow[]> =>
  listKeyRows(db, targetsWhere(actor, 'keys:read'), after, limit);

/**
 * A key on which the caller may do `scope`.
 *
 * @throws `key_not_found` 404, for those that he may not read too · `forbidden` 403
 */
export async function getKey(db: Db | Tx, actor: Actor, scope: Scope & `keys:${string}`, id: string, lock = false): Promise<KeyRow> {
  const row = isId('key', id) ? await findKey(db, id, lock) : undefined;
  if (!row || !mayOn(actor, 'keys:read', targetOf(row))) throw problem('key_not_found');
  if (!mayOn(actor, scope, targetOf(row))) throw problem('forbidden', { scope });
  return row;
}
