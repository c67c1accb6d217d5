/**
 * Secrets at rest: AES-256-GCM with a key from a file. Team, name and version are authenticated with the value, so that a
 * row can not stand in for another one; each version gets a random nonce.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { problem } from '../platform/errors.ts';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const cipherName = 'aes-256-gcm';

export interface Place { readonly teamId: string; readonly name: string; readonly version: number }
export interface Sealed { readonly keyId: string; readonly nonce: Buffer; readonly sealed: Buffer }

interface Key { readonly id: string; readonly bytes: Buffer }

export class Keyring {
  readonly #keys: readonly Key[];

  /** @param keys  32 bytes each, in base64url; the first encrypts, all decrypt. @throws Error for one that is none; its text is not told */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((text, index) => {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length !== keyBytes) throw new Error(`key ${index + 1} of MUSTER_SECRET_KEY_FILE has ${bytes.length} bytes: give ${keyBytes} random bytes in base64url`);
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 16), bytes };
    });
  }

  /** @throws `unavailable` 503, where there is no key */
  seal(place: Place, value: string): Sealed {
    const key = this.#keys[0];
    if (!key) throw problem('unavailable', { part: 'MUSTER_SECRET_KEY_FILE' });
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(cipherName, key.bytes, nonce).setAAD(additional(place));
    return { keyId: key.id, nonce, sealed: Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]) };
  }

  /** @throws Error, where the key is not there or the row was altered */
  open(place: Place, { keyId, nonce, sealed }: Sealed): string {
    const key = this.#keys.find((each) => each.id === keyId);
    if (!key) throw new Error(`secret ${place.name} was encrypted with key ${keyId}, which MUSTER_SECRET_KEY_FILE has not`);
    const decipher = createDecipheriv(cipherName, key.bytes, nonce).setAAD(additional(place)).setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]).toString('utf8');
  }
}

const keyrings = new WeakMap<readonly string[], Keyring>();

/** The ring of a configuration's keys, made once. */
export function keyringOf(keys: readonly string[]): Keyring {
  const known = keyrings.get(keys) ?? new Keyring(keys);
  keyrings.set(keys, known);
  return known;
}

const additional = ({ teamId, name, version }: Place): Buffer => Buffer.from(`${teamId}\n${name}\n${version}`);
