/**
 * The raw side of NATS auth callout: the server asks on `$SYS.REQ.USER.AUTH` about every login but the control plane's
 * own, and the answer is a signed user that expires. Who may log in and with what rights is decided elsewhere.
 */
import { Algorithms, encodeAuthorizationResponse, encodeUser, type AuthorizationRequest } from '@nats-io/jwt';
import type { Msg } from 'nats';
import type { KeyPair } from 'nkeys.js';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { messageOf, openConnection } from './connection.ts';
import { openIssuerKey } from './issuer-key.ts';
import { Requests } from './requests.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** What a login may do; subjects may hold wildcards. Everything else is refused by the server. */
export interface Grant {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  readonly expiresInSeconds: number;
}

export interface LoginService {
  /** Until the server has answered. @throws Error while NATS is away */
  flush(): Promise<void>;
  /** Answers what is under way, then ends. */
  close(): Promise<void>;
}

/**
 * Account of agents. It has no JetStream and sees of the control plane's account only the services that are imported,
 * whose replies the server readdresses: in one account an agent could name any subject as the reply of its own
 * request, and the control plane would publish there with its own rights.
 */
export const agentAccount = 'AGENTS';

const subject = '$SYS.REQ.USER.AUTH';
/** Several ingests share the logins. */
const queue = 'logins';

type CalloutConfig = Pick<Config, 'natsUrl' | 'natsUser' | 'natsPassword' | 'natsIssuerSeed' | 'loginsInFlightMax'>;
type Decide = (login: Login) => Promise<Grant | undefined>;

/**
 * Answers logins on a connection of its own, so that they wait for no other traffic; across reconnects, until closed.
 *
 * @param decide  undefined refuses; when it throws, the login gets no answer, fails in the server's time, and the client tries again
 * @throws when the issuer seed is missing
 */
export async function answerLogins(config: CalloutConfig, log: Log, decide: Decide, signal?: AbortSignal): Promise<LoginService> {
  if (config.natsIssuerSeed === '') throw new Error('MUSTER_NATS_ISSUER_SEED is missing: without it no agent can be let in');
  const issuer = openIssuerKey(config.natsIssuerSeed);
  const { natsUrl: url, natsUser: user, natsPassword: password } = config;
  const connection = await openConnection({ url, user, password, name: 'logins', ...(signal ? { signal } : {}) }, log);
  const requests = new Requests<Msg>({ inFlightMax: config.loginsInFlightMax }, (message) =>
    respond(message, issuer, decide).catch((error: unknown) => log.error({ error: messageOf(error) }, 'a login got no answer')));
  const subscription = connection.subscribe(subject, { queue, callback: (error, message) => { if (!error) requests.take(message); } });
  await connection.flush();
  return {
    flush: () => connection.flush(),
    close: async () => {
      subscription.unsubscribe();
      await requests.idle();
      await connection.close();
    },
  };
}

async function respond(message: Msg, issuer: KeyPair, decide: Decide): Promise<void> {
  const { user_nkey: userKey, server_id: server, connect_opts: options } = readRequest(message.string());
  if (!userKey || !server) throw new Error('not an authorization request');
  const login = { user: options?.user ?? '', password: options?.pass ?? '' };
  const grant = await decide(login);
  const answer = grant ? { jwt: await signUser(userKey, login.user, issuer, grant) } : { error: 'refused' };
  message.respond(new TextEncoder().encode(await encodeAuthorizationResponse(userKey, server.id, issuer, answer, {})));
}

/**
 * The claims of the server's request. Its signature is by a key that stands in it, so anyone's would hold: who may ask is
 * decided by the subject, on which only the server publishes.
 */
function readRequest(token: string): Partial<AuthorizationRequest> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { nats?: Partial<AuthorizationRequest> };
  return claims.nats ?? {};
}

async function signUser(userKey: string, name: string, issuer: KeyPair, grant: Grant): Promise<string> {
  return encodeUser(name, userKey, issuer, {
    pub: { allow: [...grant.publish], deny: [] },
    sub: { allow: [...grant.subscribe], deny: [] },
  }, { aud: agentAccount, exp: Math.floor(Date.now() / 1_000) + grant.expiresInSeconds, algorithm: Algorithms.v2 });
}
