import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { findCredential, revokeCredentialRow } from './enrolment-store.ts';
import { isSecretOf } from './secrets.ts';

/** Whether `secret` is the node's newest, or the one that a rotation is about to put in its place, and not revoked. */
export async function isCredentialInForce(db: Db | Tx, node: string, secret: string): Promise<boolean> {
  const credential = await findCredential(db, node);
  if (!credential || credential.isRevoked) return false;
  return isSecretOf(secret, credential.secretSha256) || (credential.nextSha256 !== null && isSecretOf(secret, credential.nextSha256));
}

/**
 * Version that a beat must carry: revocation, and a newer enrolment of the same name, act at the next beat.
 *
 * @returns undefined where the node has none in force
 */
export async function credentialVersion(tx: Db | Tx, node: string): Promise<number | undefined> {
  const credential = await findCredential(tx, node);
  return credential && !credential.isRevoked ? credential.version : undefined;
}

/**
 * Ends a node's credential. Its login stays open until it expires, but its beats and calls are refused from now on.
 *
 * @throws `credential_absent` 409, where none is in force
 */
export async function revokeCredential(tx: Tx, node: string): Promise<void> {
  if (!await revokeCredentialRow(tx, node)) throw problem('credential_absent', { node });
}
