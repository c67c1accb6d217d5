/**
 * Whether a role may run against the schema that it finds. Missing migrations are waited for; breaking ones that it
 * does not know end it, with a code that supervisors can tell from a crash (docs/upgrade.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { sqlState, type Db } from './db.ts';
import type { Log } from './log.ts';
import { knownMigrations } from './migrate.ts';

/** Exit code of a process whose version is too old for the schema. */
export const schemaTooNewExitCode = 57;
/** Held exclusively by a restore, shared for a moment by a role that starts. Any number will do, as long as it is ours. */
export const restoreLock = 7_390_113;

const waitMs = 1_000;
const recheckMs = 10_000;

export class SchemaTooNew extends Error {
  constructor(unknown: readonly { name: string; reason: string }[]) {
    super(`the database has migrations that this version can not live with: ${unknown.map(({ name, reason }) => `${name} (${reason})`).join(', ')}. `
      + 'Update this process to the version that has them; running the old one on would damage data.');
    this.name = 'SchemaTooNew';
  }
}

export type SchemaState = { readonly kind: 'fits' } | { readonly kind: 'missing'; readonly what: string } | { readonly kind: 'tooNew'; readonly error: SchemaTooNew };

/** @param known  names of the migrations that this version has */
export async function readSchemaState(db: Db, known: readonly string[]): Promise<SchemaState> {
  try {
    const { rows: [lock] } = await sql<{ free: boolean }>`select pg_try_advisory_xact_lock_shared(${restoreLock}) as free`.execute(db);
    if (!lock?.free) return { kind: 'missing', what: 'the end of a restore' };
    const applied = new Set((await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows.map((row) => row.name));
    const missing = known.filter((name) => !applied.has(name));
    if (missing.length > 0) return { kind: 'missing', what: `migrations ${missing.join(', ')}: run muster up, or migrate` };
    const own = new Set(known);
    const breaking = (await sql<{ name: string; reason: string }>`select name, reason from breaking_migration order by name`.execute(db)).rows.filter((row) => !own.has(row.name));
    return breaking.length > 0 ? { kind: 'tooNew', error: new SchemaTooNew(breaking) } : { kind: 'fits' };
  } catch (error) {
    if (sqlState(error) === '42P01') return { kind: 'missing', what: 'all migrations: run muster up, or migrate' }; // undefined_table
    throw error;
  }
}

/** Waits until the schema fits. A database that is away is no reason to wait here: each role does it in its own way. @throws SchemaTooNew */
export async function requireSchema(db: Db, log: Log, signal: AbortSignal): Promise<void> {
  const known = await knownMigrations();
  let told = '';
  while (!signal.aborted) {
    const state = await readSchemaState(db, known).catch(() => undefined);
    if (state === undefined || state.kind === 'fits') return;
    if (state.kind === 'tooNew') throw state.error;
    if (state.what !== told) log.warn({ waitsFor: state.what }, 'the role starts when the schema is there');
    told = state.what;
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Looks again while the process runs: a breaking migration is applied after the old roles were to be stopped, but somebody may have forgotten one. */
export async function watchSchema(db: Db, signal: AbortSignal, onTooNew: (error: SchemaTooNew) => void): Promise<void> {
  const known = await knownMigrations();
  while (!signal.aborted) {
    await delay(recheckMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    const state = await readSchemaState(db, known).catch(() => undefined);
    if (state?.kind === 'tooNew') return onTooNew(state.error);
  }
}
