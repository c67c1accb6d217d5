import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const passwordBytes = 24;

/** Content of a secret file, made on first use; 0600, and never written twice by two who race. */
export function ensureSecret(secretsDir: string, name: string, make: () => string = randomPassword): string {
  const file = secretFile(secretsDir, name);
  try {
    writeFileSync(file, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** Writes a secret that follows from others, such as an address with a password. */
export function writeSecret(secretsDir: string, name: string, content: string): string {
  const file = secretFile(secretsDir, name);
  writeFileSync(file, `${content}\n`, { mode: 0o600 });
  return file;
}

export const secretFile = (secretsDir: string, name: string): string => path.join(secretsDir, name);

const randomPassword = (): string => randomBytes(passwordBytes).toString('base64url');
