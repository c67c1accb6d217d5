import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, digestOf } from '#services/audit/digest.ts';

it('is the JSON of the same object, whatever the order of its fields', () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
    const turned = Object.fromEntries(Object.entries(object).reverse());
    expect(canonicalJson(turned)).toBe(canonicalJson(object));
    expect(JSON.parse(canonicalJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
  }));
});

it('shows numbers of 64 bits, instants and bytes as text', () => {
  expect(canonicalJson({ b: 2n ** 62n, a: new Date(0), c: Buffer.from([255]), d: undefined }))
    .toBe('{"a":"1970-01-01T00:00:00.000Z","b":"4611686018427387904","c":"ff"}');
});

it('is a SHA-256 that everybody can compute; of no object there is none', () => {
  expect(digestOf({ a: 1 })).toEqual(createHash('sha256').update('{"a":1}').digest());
  expect([digestOf(undefined), digestOf(null)]).toEqual([null, null]);
});
