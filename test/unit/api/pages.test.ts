import { expect, it } from 'vitest';
import { pageKey, pageToken, toPage } from '#services/platform/pages.ts';

const filters = { state: ['QUEUED'] };
const patterns = [/^[0-9]{1,18}$/, /^job_[a-z]+$/] as const;

it('a token gives its key back, for its own filters only', () => {
  const token = pageToken(['12', 'job_a'], filters);
  expect(pageKey(token, filters, patterns)).toEqual(['12', 'job_a']);
  expect(pageKey(undefined, filters, patterns)).toBeUndefined();
  expect(() => pageKey(token, { state: ['RUNNING'] }, patterns)).toThrow();
});

it.each([['12'], ['12', 'job_a', 'x'], ['x', 'job_a'], ['12', 'job_1'], [`${'1'.repeat(19)}`, 'job_a']])('a forged key is refused: %j', (...key) => {
  expect(() => pageKey(pageToken(key, filters), filters, patterns)).toThrow();
});

it('a page has a token only where something follows', () => {
  const shape = (row: number): number => row * 2;
  expect(toPage([1, 2, 3], 2, shape, String)).toEqual({ items: [2, 4], next_page_token: '2' });
  expect(toPage([1, 2], 2, shape, String)).toEqual({ items: [2, 4], next_page_token: null });
  expect(toPage([], 2, shape, String)).toEqual({ items: [], next_page_token: null });
});
