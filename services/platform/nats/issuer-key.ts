/**
 * The key that signs logins, by Node's own Ed25519. The one of `nkeys.js` is plain JavaScript: 27 ms of a processor a
 * login on a busy machine, during which the ingest took no beat, so that a fleet of some thousand nodes that came back
 * after a restart of NATS was let in slower than its leases ran out.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { fromSeed, type KeyPair } from 'nkeys.js';

/** PKCS #8 of an Ed25519 key, up to its 32 bytes (RFC 8410, 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyBytes = 32;
/** two bytes of kind stand before the key, two of checksum behind it */
const kindBytes = 2;
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @throws Error where the seed is none */
export function openIssuerKey(seed: string): KeyPair {
  const known = fromSeed(new TextEncoder().encode(seed)); // checks kind and checksum
  const [publicKey, privateKey] = [known.getPublicKey(), known.getPrivateKey()];
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, rawKeyOf(seed)]), format: 'der', type: 'pkcs8' });
  return {
    getPublicKey: () => publicKey,
    getPrivateKey: () => privateKey,
    getSeed: () => known.getSeed(),
    sign: (input) => new Uint8Array(sign(null, input, key)),
    verify: (input, signature) => known.verify(input, signature),
    clear: () => known.clear(),
    seal: (input, recipient, nonce) => known.seal(input, recipient, nonce),
    open: (input, sender) => known.open(input, sender),
  };
}

function rawKeyOf(seed: string): Buffer {
  const bits = [...seed].map((char) => base32.indexOf(char).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return bytes.subarray(kindBytes, kindBytes + keyBytes);
}
