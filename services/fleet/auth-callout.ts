import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import { answerLogins, type Grant, type Login, type LoginService } from '../platform/nats/auth-callout.ts';
import { isCredentialInForce } from './credentials.ts';
import { isTokenOpen } from './enrolment.ts';
import { isNodeName, subjects } from './model.ts';

const enrolPrefix = 'enrol:';
const nodePrefix = 'node:';

/** An enrolment is one request; what is left of the login afterwards is of no use. */
const enrolLoginSeconds = 60;

type LoginConfig = Pick<Config, 'natsUrl' | 'natsUser' | 'natsPassword' | 'natsIssuerSeed' | 'loginsInFlightMax' | 'agentLoginSeconds'>;

/**
 * Lets agents into NATS (design.md §3.2): user is the node's name, password `enrol:<token>` or `node:<secret>`.
 * A refusal doesn't say which part was wrong, and its log line names the node only.
 */
export async function startAuthCallout(db: Db, config: LoginConfig, log: Log): Promise<LoginService> {
  return answerLogins(config, log, async (login) => {
    const grant = await grantOf(db, login, config);
    if (!grant) log.warn({ node: isNodeName(login.user) ? login.user : '(no node name)' }, 'login refused');
    return grant;
  });
}

/** @returns the rights of a login, or undefined where it is refused */
export async function grantOf(db: Db, { user: node, password }: Login, config: Pick<Config, 'agentLoginSeconds'>): Promise<Grant | undefined> {
  if (!isNodeName(node)) return undefined;
  if (password.startsWith(enrolPrefix)) {
    return await isTokenOpen(db, node, password.slice(enrolPrefix.length)) ? grantToEnrol(node) : undefined;
  }
  if (password.startsWith(nodePrefix)) {
    return await isCredentialInForce(db, node, password.slice(nodePrefix.length)) ? grantToAgent(node, config.agentLoginSeconds) : undefined;
  }
  return undefined;
}

const inboxOf = (node: string): string => `${subjects.inboxPrefix(node)}.>`;

function grantToEnrol(node: string): Grant {
  return { publish: [subjects.enrol(node)], subscribe: [inboxOf(node)], expiresInSeconds: enrolLoginSeconds };
}

function grantToAgent(node: string, expiresInSeconds: number): Grant {
  return {
    publish: [subjects.beat(node), subjects.call(node), `logs.${node}.>`],
    subscribe: [subjects.nudge(node), inboxOf(node)],
    expiresInSeconds,
  };
}
