/** Secrets of agents: random, shown once, stored as SHA-256. 256 random bits need no slow hash. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;

export const newSecret = (): string => randomBytes(secretBytes).toString('base64url');
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
export const isSecretOf = (secret: string, sha256: Buffer): boolean => timingSafeEqual(hashOf(secret), sha256);
