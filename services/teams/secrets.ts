/** Secrets of jobs: put by a team, named by its jobs, opened for the agent that starts a member and for nobody else. */
import type { Db, Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import type { Keyring } from './sealing.ts';
import { deleteSecretRow, listSecretRows, lockSecret, lockSecretsOf, readSealed, shareSecrets, userOfSecret, writeSecret, type SecretRow } from './secrets-store.ts';

export interface PutSecret { readonly teamId: string; readonly name: string; readonly value: string; readonly by: string }

/**
 * Puts a value; one that is there is replaced, and members that start from now on get the new one.
 *
 * @throws `secrets_full` 409 · `unavailable` 503, where no key is configured
 */
export async function putSecret(tx: Tx, keyring: Keyring, { teamId, name, value, by }: PutSecret, secretsMax: number): Promise<SecretRow> {
  const count = await lockSecretsOf(tx, teamId);
  const current = await lockSecret(tx, teamId, name);
  if (current === undefined && count >= secretsMax) throw problem('secrets_full', { limit: secretsMax });
  const version = (current ?? 0) + 1;
  return writeSecret(tx, teamId, name, version, keyring.seal({ teamId, name, version }, value), by);
}

export const listSecrets = (db: Db, teamId: string, after: string | undefined, limit: number): Promise<SecretRow[]> => listSecretRows(db, teamId, after, limit);

/** @throws `secret_not_found` 404 · `secret_in_use` 409, with a job that has not ended: its next attempt could not start */
export async function deleteSecret(tx: Tx, teamId: string, name: string): Promise<void> {
  if (await lockSecret(tx, teamId, name) === undefined) throw problem('secret_not_found', { secret: name });
  const job = await userOfSecret(tx, teamId, name);
  if (job !== undefined) throw problem('secret_in_use', { secret: name, job });
  await deleteSecretRow(tx, teamId, name);
}

/** Secrets that a job may name; they can't be deleted before the caller's transaction ends. @returns the names that are not there */
export async function missingSecrets(tx: Tx, teamId: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const found = new Set(await shareSecrets(tx, teamId, names));
  return names.filter((name) => !found.has(name));
}

/**
 * The environment of a member: variables with the values of their secrets.
 *
 * @param named  variable → name of the secret
 * @throws Error, where one is gone or its key is not configured; it names no value
 */
export async function openSecrets(tx: Tx, keyring: Keyring, teamId: string, named: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const rows = new Map((await readSealed(tx, teamId, Object.values(named))).map((row) => [row.name, row]));
  return Object.fromEntries(Object.entries(named).map(([variable, name]) => {
    const row = rows.get(name);
    if (!row) throw new Error(`secret ${name} is gone`);
    return [variable, keyring.open({ teamId, name, version: row.version }, { keyId: row.key_id, nonce: row.nonce, sealed: row.sealed })];
  }));
}
