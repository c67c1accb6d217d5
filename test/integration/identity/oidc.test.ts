import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTenants, type Tenants } from './tenants.ts';

const issuer = 'https://login.example.org';
const audience = 'muster';

/** An identity provider's key endpoint. */
let provider: Server;
let served: JWK[] = [];
let requests = 0;
let isBroken = false;
let world: Tenants;
let key: { publicKey: CryptoKey; privateKey: CryptoKey };

beforeAll(async () => {
  key = await generateKeyPair('RS256', { extractable: true });
  served = [{ ...await exportJWK(key.publicKey), kid: 'k1', alg: 'RS256', use: 'sig' }];
  provider = createServer((_request, response) => {
    requests += 1;
    if (isBroken) return void response.writeHead(500).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: served }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => { provider.once('listening', resolve); });
  world = await openOidcTenants();
  await world.post('/v1/bindings', { principal: { kind: 'subject', id: 'ada' }, role: 'member', team: 'a1' });
  await world.post('/v1/bindings', { principal: { kind: 'group', id: 'b-people' }, role: 'viewer', org: 'b' });
});
afterAll(async () => {
  await world.close();
  provider.close();
});

const openOidcTenants = (more: Record<string, string> = {}) => openTenants({
  MUSTER_OIDC_ISSUER: issuer, MUSTER_OIDC_AUDIENCE: audience, MUSTER_OIDC_JWKS_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`,
  MUSTER_OIDC_GROUPS_CLAIM: 'groups', MUSTER_OIDC_CLOCK_SKEW_SECONDS: '30', MUSTER_OIDC_KEYS_COOLDOWN_SECONDS: '0', ...more,
});

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

interface Wanted { iss?: string; aud?: string; sub?: string | undefined; exp?: number; nbf?: number; kid?: string; groups?: unknown; alg?: string; by?: CryptoKey | Uint8Array }

function token({ iss = issuer, aud = audience, exp = nowSeconds() + 60, kid = 'k1', alg = 'RS256', by = key.privateKey, nbf, groups, ...rest }: Wanted = {}): Promise<string> {
  const sub = 'sub' in rest ? rest.sub : 'ada';
  return new SignJWT({ iss, aud, exp, ...(sub === undefined ? {} : { sub }), ...(nbf === undefined ? {} : { nbf }), ...(groups === undefined ? {} : { groups }) })
    .setProtectedHeader({ alg, kid }).sign(by);
}

const statusOf = async (bearer: string): Promise<number> => (await world.as(bearer, 'GET', '/v1/jobs')).status;

describe('tokens of the identity provider', () => {
  it('are a principal: what was bound to their subject, and to nobody else', async () => {
    const bearer = await token();
    expect((await world.as(bearer, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'a1' })).status).toBe(201);
    expect((await world.as(bearer, 'GET', '/v1/jobs?team=a2')).status).toBe(404);
    expect(await statusOf(await token({ sub: 'eve' }))).toBe(403);
  });

  it('groups that they name bring their roles', async () => {
    const bearer = await token({ sub: 'bob', groups: ['b-people', 'others'] });
    expect((await world.as(bearer, 'GET', '/v1/jobs?team=b1')).status).toBe(200);
    expect((await world.as(bearer, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'b1' })).status).toBe(403);
    expect(await statusOf(await token({ sub: 'bob', groups: 'b-people' }))).toBe(403);
  });

  it('a key that the provider added is found, and asked for once', async () => {
    const next = await generateKeyPair('RS256');
    served = [...served, { ...await exportJWK(next.publicKey), kid: 'k2', alg: 'RS256' }];
    const before = requests;
    const bearer = await token({ kid: 'k2', by: next.privateKey });
    expect([await statusOf(bearer), await statusOf(bearer)]).toEqual([200, 200]);
    expect(requests - before).toBe(1);
  });
});

describe('tokens that are refused', () => {
  it('without a signature', async () => {
    expect(await statusOf(new UnsecuredJWT({ iss: issuer, aud: audience, sub: 'ada', exp: nowSeconds() + 60 }).encode())).toBe(401);
  });

  it('signed by HS256 with the public key as the secret', async () => {
    expect(await statusOf(await token({ alg: 'HS256', by: new TextEncoder().encode(await exportSPKI(key.publicKey)) }))).toBe(401);
  });

  it('signed by another algorithm of the same key pair', async () => {
    const pss = await crypto.subtle.importKey('pkcs8', await crypto.subtle.exportKey('pkcs8', key.privateKey), { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign']);
    expect(await statusOf(await token({ alg: 'PS256', by: pss }))).toBe(401);
  });

  it('signed by another key under a known id', async () => {
    expect(await statusOf(await token({ by: (await generateKeyPair('RS256')).privateKey }))).toBe(401);
  });

  it.each<[string, Wanted]>([
    ['of another issuer', { iss: 'https://elsewhere.example.org' }],
    ['for another service', { aud: 'other' }],
    ['with an unknown key id', { kid: 'k9' }],
    ['without a subject', { sub: undefined }],
  ])('%s', async (_name, wanted) => {
    expect(await statusOf(await token(wanted))).toBe(401);
  });

  it('expired, or not yet valid, beyond the clock skew that is granted; within it they work', async () => {
    expect(await statusOf(await token({ exp: nowSeconds() - 20 }))).toBe(200);
    expect(await statusOf(await token({ exp: nowSeconds() - 45 }))).toBe(401);
    expect(await statusOf(await token({ nbf: nowSeconds() + 20 }))).toBe(200);
    expect(await statusOf(await token({ nbf: nowSeconds() + 45 }))).toBe(401);
  });

  it('without an end', async () => {
    const endless = await new SignJWT({ iss: issuer, aud: audience, sub: 'ada' }).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(key.privateKey);
    expect(await statusOf(endless)).toBe(401);
  });

  it('altered, or no token at all', async () => {
    const [head = '', , signature = ''] = (await token()).split('.');
    const forged = Buffer.from(JSON.stringify({ iss: issuer, aud: audience, sub: 'root', exp: nowSeconds() + 60 })).toString('base64url');
    for (const bearer of [`${head}.${forged}.${signature}`, 'a.b.c', 'x', '...']) expect(await statusOf(bearer)).toBe(401);
  });
});

it('a provider that is away is not held against the token: 503; keys in the cache go on working', async () => {
  expect(await statusOf(await token())).toBe(200);
  isBroken = true;
  expect(await statusOf(await token())).toBe(200);
  const fresh = await openOidcTenants();
  expect((await fresh.as(await token(), 'GET', '/v1/jobs')).status).toBe(503);
  isBroken = false;
  expect((await fresh.as(await token(), 'GET', '/v1/jobs')).status).toBe(403);
  await fresh.close();
});

it('without a provider no token is believed', async () => {
  const plain = await openTenants();
  expect((await plain.as(await token(), 'GET', '/v1/jobs')).status).toBe(401);
  await plain.close();
});
