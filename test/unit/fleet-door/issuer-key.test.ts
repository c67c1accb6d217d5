import { createAccount, fromPublic } from 'nkeys.js';
import { expect, it } from 'vitest';
import { openIssuerKey } from '#services/platform/nats/issuer-key.ts';

it('signs as the library does, for any seed', () => {
  for (let round = 0; round < 20; round++) {
    const issuer = createAccount();
    const key = openIssuerKey(new TextDecoder().decode(issuer.getSeed()));
    const text = new TextEncoder().encode(`login ${round}`);
    expect(key.getPublicKey()).toBe(issuer.getPublicKey());
    expect(Buffer.from(key.sign(text)).equals(Buffer.from(issuer.sign(text)))).toBe(true);
    expect(fromPublic(key.getPublicKey()).verify(text, key.sign(text))).toBe(true);
  }
});

it('a seed with a wrong letter is refused', () => {
  const seed = new TextDecoder().decode(createAccount().getSeed());
  expect(() => openIssuerKey(`${seed.slice(0, 20)}${seed[20] === 'A' ? 'B' : 'A'}${seed.slice(21)}`)).toThrow();
});
