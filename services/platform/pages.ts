/**
 * Cursors of lists: opaque to callers, signed, and checked when they come back. A token holds the sort key of the last
 * item and a digest of the filters, so that it can't be used on another list. It grants nothing; the signature keeps
 * callers from building on what is inside.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { problem } from './errors.ts';

export const pageQuery = (pageSizeMax: number) => ({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, description: `Items a page; ${defaultPageSize} where absent` })),
  page_token: Type.Optional(Type.String({ maxLength: 1_024, description: 'From next_page_token of the page before' })),
});

export const nextPageToken = Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null on the last page' });

export const defaultPageSize = 50;
/** 128 bits: a forgery would have to be guessed at one request a try. */
const signatureBytes = 16;

let signingKey: string | Buffer = randomBytes(32);

/** Once a process; without it tokens are good in this process only. */
export function signPageTokensWith(key: string): void {
  if (key !== '') signingKey = key;
}

const digestOf = (filters: unknown): string => createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 12);
const signatureOf = (content: string): Buffer => createHmac('sha256', signingKey).update(content).digest().subarray(0, signatureBytes);

export function pageToken(key: readonly string[], filters: unknown): string {
  const content = Buffer.from(JSON.stringify([digestOf(filters), ...key])).toString('base64url');
  return `${content}.${signatureOf(content).toString('base64url')}`;
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
  const [content = '', signature = '', ...rest] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  if (rest.length > 0 || given.length !== signatureBytes || !timingSafeEqual(given, signatureOf(content))) throw problem('invalid_cursor');
  return JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as string[];
}

/** A page of `size` out of rows read with `size + 1`. */
export function toPage<Row, Item>(rows: readonly Row[], size: number, shape: (row: Row) => Item, tokenAfter: (last: Row) => string): { items: Item[]; next_page_token: string | null } {
  const kept = rows.slice(0, size);
  const last = kept.at(-1);
  return { items: kept.map(shape), next_page_token: rows.length > size && last !== undefined ? tokenAfter(last) : null };
}
