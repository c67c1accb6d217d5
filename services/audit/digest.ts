/** Digest of an object for the audit log: who has the object can check it, who reads the log learns nothing of it. */
import { createHash } from 'node:crypto';

/** @returns SHA-256 of the canonical JSON; null for no object */
export function digestOf(value: unknown): Buffer | null {
  return value === null || value === undefined ? null : createHash('sha256').update(canonicalJson(value)).digest();
}

/**
 * JSON with the fields of each object in the order of their names and without whitespace. bigint as decimal string, time
 * as RFC 3339 in UTC, bytes in hex; a field without a value is left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`;
  if (value instanceof Date) return JSON.stringify(value.toISOString());
  if (Buffer.isBuffer(value)) return `"${value.toString('hex')}"`;
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
