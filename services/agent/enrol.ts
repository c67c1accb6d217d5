/** How a node gets the right to speak: a token, once, for a secret of its own (design.md §3.2). */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { subjects, type EnrolReply } from '#services/fleet/model.ts';
import type { Log } from '#services/platform/log.ts';
import { connectAgent, type Bus } from '#services/platform/nats/bus.ts';
import { readWhole, writeDurably } from './durable-file.ts';
import type { AgentSettings } from './settings.ts';

export interface Credential {
  readonly node: string;
  readonly clusterId: string;
  readonly credentialVersion: number;
  readonly secret: string;
}

const requestTimeoutMs = 5_000;
const retryMs = 1_000;

/** What a person does about a credential that is no longer in force. */
export const reEnrolRemedy = 'make a new enrolment token for this node (POST /v1/enrolment-tokens), give it as MUSTER_AGENT_ENROLMENT_TOKEN with MUSTER_AGENT_RE_ENROL=1 and restart the agent; its members run on meanwhile';

export const credentialFile = (dataDir: string): string => path.join(dataDir, 'credential.json');

export function readCredential({ dataDir, node }: Pick<AgentSettings, 'dataDir' | 'node'>): Credential | undefined {
  const known = readWhole(credentialFile(dataDir)) as Credential | undefined;
  return known?.node === node ? known : undefined;
}

/**
 * The node's credential: its own from disk, else one for the enrolment token. Waits for as long as NATS is away.
 *
 * @throws Error with the remedy, when there is neither, or the token is refused
 */
export async function obtainCredential(settings: AgentSettings, log: Log, signal: AbortSignal): Promise<Credential> {
  const known = readCredential(settings);
  if (known && !settings.reEnrol) return known;
  if (settings.enrolmentToken === '') throw new Error(`${settings.node} has no credential and no enrolment token: ${reEnrolRemedy}`);
  const bus = await login(settings, `enrol:${settings.enrolmentToken}`, log, signal);
  try {
    const reply = await exchange(settings, bus, log, signal);
    if (!reply.ok) throw new Error(`the enrolment token of ${settings.node} is refused, ${reply.code} (${reply.detail}): ${reEnrolRemedy}`);
    const credential = { node: settings.node, clusterId: reply.clusterId, credentialVersion: reply.credentialVersion, secret: reply.secret };
    writeDurably(credentialFile(settings.dataDir), credential);
    log.info({ cluster: reply.clusterId, credentialVersion: reply.credentialVersion }, 'enrolled');
    return credential;
  } finally {
    await bus.close();
  }
}

/** @param credential  asked again at each reconnection: a rotation may have changed it */
export const loginAs = (settings: AgentSettings, credential: Credential | (() => Credential), log: Log, signal: AbortSignal): Promise<Bus> =>
  login(settings, typeof credential === 'function' ? () => `node:${credential().secret}` : `node:${credential.secret}`, log, signal);

function login({ natsUrl, node }: AgentSettings, password: string | (() => string), log: Log, signal: AbortSignal): Promise<Bus> {
  return connectAgent({ url: natsUrl, user: node, password, inboxPrefix: subjects.inboxPrefix(node), name: `agent-${node}`, signal }, log);
}

async function exchange({ node, enrolmentToken }: AgentSettings, bus: Bus, log: Log, signal: AbortSignal): Promise<EnrolReply> {
  for (;;) {
    try {
      return await bus.request(subjects.enrol(node), { node, token: enrolmentToken }, requestTimeoutMs) as EnrolReply;
    } catch (error) {
      log.warn({ err: error }, 'the enrolment got no answer; tried again');
      await delay(retryMs, undefined, { signal });
    }
  }
}
