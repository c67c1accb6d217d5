import { holds, type Actor, type Role } from '../platform/authz-roles.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { issueKey } from './api-keys.ts';
import { findKey, type KeyRow } from './keys-store.ts';
import { requireCovers, targetNamed, type TargetNames } from './targets.ts';

export interface NewKeyRequest extends TargetNames {
  readonly name: string;
  readonly role: Role;
  /** narrow the role; `*` for all that it may */
  readonly scopes: readonly string[];
  readonly expiresAt: Date | undefined;
}

/**
 * A key for a program: a role on a team, an organisation or the cluster, narrowed by scopes.
 *
 * @throws `team_not_found`, `org_not_found` 404 · `forbidden` 403, where the caller would hand on more than he has · `invalid_request` 400
 */
export async function createKey(tx: Tx, actor: Actor, request: NewKeyRequest): Promise<{ row: KeyRow; key: string }> {
  const target = await targetNamed(tx, actor, 'keys:write', request);
  requireCovers(actor, request.role, (scope) => holds(request.scopes, scope), target);
  if (request.expiresAt !== undefined && request.expiresAt.getTime() <= Date.now()) {
    throw problem('invalid_request', {}, [{ pointer: '/expiresAt', detail: 'expiresAt is in the past' }]);
  }
  const { id, key } = await issueKey(tx, { ...request, target, createdBy: actor.id });
  return { row: await findKey(tx, id) as KeyRow, key };
}
