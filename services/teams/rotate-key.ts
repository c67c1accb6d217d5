import { holds, type Actor } from '../platform/authz-roles.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { newKeySecret, tokenOf } from './api-keys.ts';
import { bindingsOfKey } from './bindings-store.ts';
import { findKey, replaceSecret, type KeyRow } from './keys-store.ts';
import { getKey } from './keys.ts';
import { requireCovers, targetOf } from './targets.ts';

/**
 * Gives a key another secret; the one of now stays valid for `overlapSeconds`, so that its users can change over.
 * Whoever rotates gets a secret of all that the key may, so he must hold as much himself.
 *
 * @throws `key_not_found` 404 · `forbidden` 403 · `key_revoked` 409
 */
export async function rotateKey(tx: Tx, actor: Actor, id: string, overlapSeconds: number): Promise<{ row: KeyRow; key: string }> {
  const before = await getKey(tx, actor, 'keys:write', id, true);
  if (before.revoked_at !== null) throw problem('key_revoked', { key: id });
  for (const binding of await bindingsOfKey(tx, id)) requireCovers(actor, binding.role, (scope) => holds(before.scopes, scope), targetOf(binding));
  const secret = newKeySecret();
  await replaceSecret(tx, id, secret.sha256, overlapSeconds);
  return { row: await findKey(tx, id) as KeyRow, key: tokenOf(id, secret.text) };
}
