import type { Actor } from '../platform/authz-roles.ts';
import type { Tx } from '../platform/db.ts';
import { requireOtherAdmin } from './bindings.ts';
import { findKey, markRevoked, type KeyRow } from './keys-store.ts';
import { getKey } from './keys.ts';

/** Ends a key and both of its secrets at once. Repeating it changes nothing. @throws `key_not_found` 404 · `forbidden` 403 · `last_admin` 409 */
export async function revokeKey(tx: Tx, actor: Actor, id: string): Promise<KeyRow> {
  await getKey(tx, actor, 'keys:write', id, true);
  await markRevoked(tx, id);
  await requireOtherAdmin(tx);
  return await findKey(tx, id) as KeyRow;
}
