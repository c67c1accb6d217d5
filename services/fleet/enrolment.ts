import type { Db, Tx } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { clusterId, deleteEndedTokens, findCredential, findToken, insertNode, insertToken, replaceCredential, useToken, type TokenRow } from './enrolment-store.ts';
import { isNodeName, type EnrolReply, type EnrolRequest } from './model.ts';
import { hashOf, newSecret } from './secrets.ts';

export interface TokenRequest {
  /** the only node that may use it; absent: one node that has never been enrolled */
  readonly node?: string;
  readonly ttlSeconds: number;
}

export interface EnrolmentToken {
  readonly id: string;
  /** shown once; only its hash is stored */
  readonly token: string;
  readonly node: string | null;
  readonly expiresAt: Date;
}

/** A token that lets one node in, once. */
export async function createEnrolmentToken(db: Db | Tx, request: TokenRequest): Promise<EnrolmentToken> {
  const [id, token, node] = [newId('tok'), newSecret(), request.node ?? null];
  const expiresAt = await insertToken(db, { id, tokenSha256: hashOf(token), node, ttlSeconds: request.ttlSeconds });
  return { id, token, node, expiresAt };
}

/**
 * Whether `node` may log in to enrol with `token`. A used one may still log in, to be told so: its login can do
 * nothing but ask.
 */
export async function isTokenOpen(db: Db, node: string, token: string): Promise<boolean> {
  const row = await findToken(db, hashOf(token));
  return row !== undefined && (row.node === null || row.node === node);
}

/**
 * Exchanges a token for the node's credential: token used, node known, secret stored hashed, in one transaction.
 * A token without a node's name is for new nodes only, or its holder could take over any node of the fleet.
 */
export async function enrol(tx: Tx, request: EnrolRequest): Promise<EnrolReply> {
  if (!isNodeName(request.node)) return { ok: false, code: 'invalid', detail: 'the node\'s name has lower-case letters, digits and dashes, at most 63' };
  const token = await findToken(tx, hashOf(request.token), true);
  const refusal = refusalOf(token, request.node);
  if (refusal || !token) return refusal ?? unknownToken;
  if (token.node === null && await findCredential(tx, request.node)) {
    return { ok: false, code: 'node_mismatch', detail: `${request.node} was enrolled before: its next token must name it` };
  }
  await useToken(tx, token.id, request.node);
  await insertNode(tx, request.node);
  const secret = newSecret();
  const version = await replaceCredential(tx, request.node, hashOf(secret));
  return { ok: true, clusterId: await clusterId(tx), credentialVersion: version, secret };
}

const unknownToken = { ok: false, code: 'token_unknown', detail: 'no such token' } as const satisfies EnrolReply;

function refusalOf(token: TokenRow | undefined, node: string): EnrolReply | undefined {
  if (!token) return unknownToken;
  if (token.node !== null && token.node !== node) return { ok: false, code: 'node_mismatch', detail: 'the token is for another node' };
  if (token.isUsed) return { ok: false, code: 'token_used', detail: 'the token was used' };
  return token.isExpired ? { ok: false, code: 'token_expired', detail: 'the token has expired' } : undefined;
}

/** How long an ended token can still be told apart from an unknown one. */
const endedTokenSeconds = 30 * 24 * 3_600;

/** Forgets tokens that ended long ago. @returns how many */
export const forgetEndedTokens = (db: Db): Promise<number> => deleteEndedTokens(db, endedTokenSeconds);
