/**
 * What makes a restored database a new life of its cluster (P33–P36): everything that the old life handed out compares
 * lower, nothing is decided before the world is adopted. One transaction, after the rows are loaded.
 */
import { sql } from 'kysely';
import { relayReader } from '../events/relay.ts';
import type { Config } from '../platform/config.ts';
import type { Tx } from '../platform/db.ts';
import { endTicket } from '../scheduler/tickets.ts';
import { positionBefore } from './model.ts';

/** Numbers compare as (incarnation, n): n is what the lower half says, so that order within the backup stays (P33, P34). */
const raised = (column: string, incarnation: number) => sql`(${incarnation}::bigint << 32) + (${sql.ref(column)} & 4294967295)`;

export async function beginNewLife(tx: Tx, incarnation: number, { leaseTtlMs }: Pick<Config, 'leaseTtlMs'>): Promise<void> {
  await sql`update cluster set incarnation = ${incarnation}, frozen_at = clock_timestamp(), restored_at = clock_timestamp(), runs_told = false`.execute(tx);
  await sql`update job set version = ${raised('version', incarnation)}`.execute(tx);
  // Sessions of the old life are over: a node is heard again only by an agent that has been told of this one (P1, P36).
  await sql`update node set version = ${raised('version', incarnation)}, generation = ${raised('generation', incarnation)},
    session = ${incarnation}::bigint << 32, session_issued = ${incarnation}::bigint << 32, sequence = 0, stray_members = 0, adoption_due = true,
    lease_until = clock_timestamp() + make_interval(secs => ${leaseTtlMs / 1_000}::double precision)`.execute(tx);
  await sql`update ingest_heartbeat set up_since = clock_timestamp(), beat_at = clock_timestamp() - interval '1 day'`.execute(tx);
  await sql`update leader set token = ${incarnation}::bigint << 32, holder = null`.execute(tx);
  await sql`update leader_lease set holder = null, expires_at = '-infinity'`.execute(tx);
  await beginPositions(tx, incarnation);
  for (const { id } of await tx.selectFrom('ticket').select('id').where('state', '=', 'OPEN').orderBy('id').execute()) await endTicket(tx, id, 'restore');
}

/** What was not published goes out in this life; what was is history, and a reader that stood there is told so (410). */
async function beginPositions(tx: Tx, incarnation: number): Promise<void> {
  const before = positionBefore(incarnation);
  await sql`update outbox set pos = null where pos > coalesce((select pos from event_cursor where reader = ${relayReader}), 0)`.execute(tx);
  await sql`delete from event_cursor`.execute(tx);
  await sql`update event_sequence set last_pos = ${before}, kept_from_pos = ${before + 1n}`.execute(tx);
}
