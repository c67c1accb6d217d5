/**
 * Rotation of a node's credential over the connection that it has. The agent makes the secret and tells only its hash,
 * so no secret crosses the wire and no answer has to arrive: ordered → offered, and valid beside the old one → the first
 * beat with the next version ends the old one.
 */
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { acceptNext, orderRotationRow, promoteNext } from './enrolment-store.ts';
import type { Answer, Beat } from './model.ts';
import { nudgeNodes } from './nudge.ts';
import type { Speaker } from './store.ts';

/** The node is told with its next answer, and reminded until it has done it. @throws `credential_absent` 409, where none is in force */
export async function orderRotation(tx: Tx, node: string): Promise<void> {
  if (!await orderRotationRow(tx, node)) throw problem('credential_absent', { node });
  nudgeNodes(tx, [node]);
}

type Credential = Pick<Speaker, 'credential_version' | 'next_sha256' | 'rotation_ordered_at'>;

/** Whether a beat may carry this version: the one in force, or the one that follows it once its secret was offered. */
export function mayCarry({ credential_version: inForce, next_sha256: next }: Credential, version: number): boolean {
  return inForce !== null && (version === inForce || (next !== null && version === inForce + 1));
}

/** Moves the rotation on by what the beat says. @returns what the answer says of it */
export async function turnCredential(tx: Tx, speaker: Credential, beat: Beat): Promise<Pick<Answer, 'rotate' | 'nextCredential'>> {
  const inForce = speaker.credential_version;
  if (inForce === null) return {};
  if (beat.credentialVersion === inForce + 1) {
    await promoteNext(tx, beat.node, inForce);
    return {};
  }
  if (speaker.rotation_ordered_at === null) return {};
  const offered = beat.nextSecretSha256;
  if (offered === undefined) return { rotate: true };
  return await acceptNext(tx, beat.node, inForce, Buffer.from(offered, 'hex')) ? { nextCredential: { sha256: offered, version: inForce + 1 } } : {};
}
