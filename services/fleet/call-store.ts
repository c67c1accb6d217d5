import { sql } from 'kysely';
import type { Tx } from '../platform/db.ts';
import type { MemberKey } from './model.ts';

/** Whether the node runs, or ran, this very member, and may still speak with this credential: the one in force, or the one that follows it. */
export async function runsMember(tx: Tx, node: string, credentialVersion: number, member: MemberKey): Promise<boolean> {
  const row = await tx.selectFrom('member').innerJoin('node_credential', 'node_credential.node_id', 'member.node_id').select('member.rank')
    .where('member.job_id', '=', member.job).where('member.epoch', '=', BigInt(member.epoch)).where('member.rank', '=', member.rank)
    .where('member.node_id', '=', node).where('node_credential.revoked_at', 'is', null)
    .where(sql<boolean>`${credentialVersion}::int in (node_credential.version, case when node_credential.next_sha256 is not null then node_credential.version + 1 end)`)
    .executeTakeFirst();
  return row !== undefined;
}

/** A restore is being reconciled (P35). */
export async function isFrozen(tx: Tx): Promise<boolean> {
  const { frozen_at } = await tx.selectFrom('cluster').select('frozen_at').executeTakeFirstOrThrow();
  return frozen_at !== null;
}
