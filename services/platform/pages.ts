/**
 * Cursors of lists: opaque to callers, checked when they come back. A token holds the sort key of the last item and a
 * digest of the filters, so that it can't be used on another list; it grants nothing, so it needs no signature.
 */
import { createHash } from 'node:crypto';
import Type from 'typebox';
import { problem } from './errors.ts';

export const pageQuery = (pageSizeMax: number) => ({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, description: `Items a page; ${defaultPageSize} where absent` })),
  page_token: Type.Optional(Type.String({ maxLength: 1_024, description: 'From next_page_token of the page before' })),
});

export const nextPageToken = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null on the last page' });

export const defaultPageSize = 50;

const digestOf = (filters: unknown): string => createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 12);

export function pageToken(key: readonly string[], filters: unknown): string {
  return Buffer.from(JSON.stringify([digestOf(filters), ...key])).toString('base64url');
}

/**
 * @param patterns  one a part of the sort key
 * @returns the parts, or undefined for the first page
 * @throws `invalid_cursor` 400 for anything that `pageToken` did not make for these filters
 */
export function pageKey(token: string | undefined, filters: unknown, patterns: readonly RegExp[]): string[] | undefined {
  if (token === undefined) return undefined;
  const parts = parse(token);
  const [digest, ...key] = parts;
  if (digest !== digestOf(filters) || key.length !== patterns.length || !patterns.every((pattern, index) => pattern.test(key[index] ?? ''))) {
    throw problem('invalid_cursor');
  }
  return key;
}

function parse(token: string): string[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value;
  } catch {
    // not one of ours
  }
  throw problem('invalid_cursor');
}

/** A page of `size` out of rows read with `size + 1`. */
export function toPage<Row, Item>(rows: readonly Row[], size: number, shape: (row: Row) => Item, tokenAfter: (last: Row) => string): { items: Item[]; next_page_token: string | null } {
  const kept = rows.slice(0, size);
  const last = kept.at(-1);
  return { items: kept.map(shape), next_page_token: rows.length > size && last !== undefined ? tokenAfter(last) : null };
}
