/**
 * Bearer tokens of an identity provider: issuer, audience and algorithms are those of the configuration, whatever a token
 * says of itself. The keys come from the provider's JWKS, are cached, and asked for again when a key id is unknown.
 */
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import type { Actor, Authenticate } from '../platform/authz.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { grantsOfSubject } from './grants.ts';

export type OidcConfig = Pick<Config,
  'oidcIssuer' | 'oidcAudience' | 'oidcJwksUrl' | 'oidcAlgorithms' | 'oidcGroupsClaim' | 'oidcClockSkewSeconds' | 'oidcKeysCacheSeconds' | 'oidcKeysCooldownSeconds'>;

const jwksTimeoutMs = 3_000;
const textMax = 255;
/** A subject in more groups is believed for the first ones; a query with all of them would have no bound. */
const groupsMax = 200;

/** @returns a check of tokens; one that is not in force, or of another kind, has no actor */
export function authenticateByOidc(db: Db, config: OidcConfig, log: Log): Authenticate {
  if (config.oidcIssuer === '') return async () => undefined;
  const keys = createRemoteJWKSet(new URL(config.oidcJwksUrl), {
    timeoutDuration: jwksTimeoutMs, cacheMaxAge: config.oidcKeysCacheSeconds * 1_000, cooldownDuration: config.oidcKeysCooldownSeconds * 1_000,
  });
  return async (token) => {
    const claims = await verify(token, keys, config, log);
    if (!claims?.sub || claims.sub.length > textMax) return undefined;
    const grants = await grantsOfSubject(db, config.oidcIssuer, claims.sub, groupsOf(claims, config.oidcGroupsClaim));
    return { id: `oidc:${claims.sub}`, name: nameOf(claims), scopes: ['*'], grants } satisfies Actor;
  };
}

/** @throws `unavailable` 503, while the keys can't be had: the token may be good */
async function verify(token: string, keys: ReturnType<typeof createRemoteJWKSet>, config: OidcConfig, log: Log): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer: config.oidcIssuer, audience: config.oidcAudience, algorithms: [...config.oidcAlgorithms],
      clockTolerance: config.oidcClockSkewSeconds, requiredClaims: ['exp', 'sub'],
    });
    return payload;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    log.warn({ url: config.oidcJwksUrl, error: error instanceof Error ? error.message : String(error) }, 'the keys of the identity provider can not be had');
    throw problem('unavailable', { part: 'oidc' });
  }
}

/** What the token is to blame for; a provider that does not answer, or answers nonsense, is not. */
const isRefusal = (error: unknown): boolean => error instanceof errors.JOSEError
  && !(error instanceof errors.JWKSTimeout) && !(error instanceof errors.JWKSInvalid) && error.code !== 'ERR_JOSE_GENERIC';

function groupsOf(claims: JWTPayload, claim: string): string[] {
  const groups = claim === '' ? undefined : claims[claim];
  if (!Array.isArray(groups)) return [];
  return groups.filter((group): group is string => typeof group === 'string' && group.length <= textMax && !group.includes('\0')).slice(0, groupsMax);
}

/** For people and logs; decides nothing. */
function nameOf(claims: JWTPayload): string {
  const name = [claims['preferred_username'], claims['email'], claims.sub].find((each) => typeof each === 'string') as string;
  return name.slice(0, textMax).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
