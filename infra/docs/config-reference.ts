/**
 * docs/configuration.md from the settings as the code reads them: `node infra/docs/config-reference.ts` writes it, a test
 * compares. Numbers come from the code; what has no bound is described here.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { agentSettings } from '#services/agent/settings.ts';
import { repositoryRoot, settings } from '#services/platform/config.ts';

export const configurationFile = path.join(repositoryRoot, 'docs/configuration.md');

interface Bound { readonly env: string; readonly default: number; readonly min: number; readonly max: number; readonly why: string }
type Described = readonly (readonly [variable: string, standard: string, meaning: string])[];

const places: Described = [
  ['MUSTER_HOME', '`.muster` of the checkout', 'data, logs, pid files and secrets of one local stack; several homes can run beside each other on other ports'],
  ['MUSTER_LOG_LEVEL', '`info`', 'pino level: trace, debug, info, warn, error, fatal'],
  ['MUSTER_SCOPE', '`muster`', 'prefix of durable consumers, and of the task queue where it is another than `muster`'],
];

const addresses: Described = [
  ['MUSTER_DATABASE_URL', '`secrets/database-url`', 'Postgres, for the services: a login in the role `muster_app`; given: the local stack starts none'],
  ['MUSTER_DATABASE_OWNER_URL', '`secrets/database-owner-url`', 'Postgres, for migrations: the role that owns the schema; where only MUSTER_DATABASE_URL is given, that one'],
  ['MUSTER_PAGE_TOKEN_KEY', '`secrets/page-token-key`', 'signs page tokens; the same for all API processes'],
  ['MUSTER_TEMPORAL_ADDRESS', '127.0.0.1:MUSTER_TEMPORAL_PORT', 'Temporal frontend; given: the local stack starts none'],
  ['MUSTER_TEMPORAL_NAMESPACE', '`default`', 'namespace of the runs'],
  ['MUSTER_TEMPORAL_UI_URL', 'http://127.0.0.1:MUSTER_TEMPORAL_UI_PORT', 'what links to the Web UI begin with'],
  ['MUSTER_NATS_URL', 'nats://127.0.0.1:MUSTER_NATS_PORT', 'NATS; given: the local stack starts none'],
  ['MUSTER_NATS_USER', '`control`', "the control plane's user"],
  ['MUSTER_NATS_PASSWORD', '`secrets/nats-control-password`', 'its password'],
  ['MUSTER_NATS_ISSUER_SEED', '`secrets/nats-issuer-seed`', 'account seed (nkey) that signs the logins of agents'],
  ['MUSTER_SECRET_KEY', '`secrets/secret-key`', 'encrypts the secrets of jobs: 32 random bytes in base64url; several, one a line: the first encrypts, all decrypt; none: no secrets can be put'],
  ['MUSTER_OIDC_ISSUER', 'none', 'identity provider whose bearer tokens are believed; none: API keys only'],
  ['MUSTER_OIDC_AUDIENCE', 'none', 'that a token must name; required with an issuer'],
  ['MUSTER_OIDC_JWKS_URL', 'none', 'https address of its keys; required with an issuer'],
  ['MUSTER_OIDC_ALGORITHMS', '`RS256`', 'of signatures, separated by commas; nothing else is believed'],
  ['MUSTER_OIDC_GROUPS_CLAIM', 'none', 'claim with the groups of a subject, to which roles can be bound'],
  ['MUSTER_API_HOST', '127.0.0.1', 'address that the API listens on'],
  ['MUSTER_API_URL', 'http://127.0.0.1:MUSTER_API_PORT', 'where the command finds the API'],
  ['MUSTER_API_KEY', '`secrets/admin-key`', 'what the command sends'],
  ['MUSTER_METRICS_HOST', '127.0.0.1', 'address that `/metrics` of a process listens on'],
  ['MUSTER_OTEL_EXPORTER_OTLP_ENDPOINT', 'none', 'collector that the API and the worker send traces to (OTLP over HTTP, without `/v1/traces`); none: no traces'],
];

const stackPorts: Described = [
  ['MUSTER_POSTGRES_PORT', '15432', 'Postgres of the local stack'],
  ['MUSTER_TEMPORAL_PORT', '17233', 'Temporal of the local stack'],
  ['MUSTER_TEMPORAL_UI_PORT', '18233', 'its Web UI'],
  ['MUSTER_NATS_PORT', '14222', 'NATS of the local stack'],
];

const agentFacts: Described = [
  ['MUSTER_NODE_NAME', "the machine's host name", 'letters a-z, digits and dashes, at most 63'],
  ['MUSTER_AGENT_ENROLMENT_TOKEN', 'none', 'needed once, until the node has its own credential'],
  ['MUSTER_AGENT_RE_ENROL', '0', '1: exchange the token even though a credential is there'],
  ['MUSTER_AGENT_DATA_DIR', '`data/agents/<node>`', 'credential, start records, exits, output of members'],
  ['MUSTER_AGENT_RUN_DIR', '`s` in the data folder', 'control sockets; their paths must stay below 108 bytes'],
  ['MUSTER_CHECKPOINT_ROOT', '`checkpoints` in the data folder', 'below it each job and epoch has its folder'],
  ['MUSTER_CHECKPOINT_REACH', '`node`', '`shared`: every node sees the checkpoint root; `node`: only this one does'],
  ['MUSTER_AGENT_DEVICES', '0', 'virtual devices (at most 64) to declare where there is no nvidia-smi'],
  ['MUSTER_AGENT_DEVICE_MODEL', '`virtual`', 'model of the virtual devices'],
  ['MUSTER_AGENT_TOPOLOGY', 'none', '`region=…,zone=…,pod=…,rack=…,nvlink=…`; a level that is absent is unknown'],
  ['MUSTER_AGENT_LABELS', 'none', '`key=value,…`, what `nodeSelector` of a job asks for'],
  ['MUSTER_AGENT_ADDRESS', '127.0.0.1', "where other nodes' members reach this node's"],
  ['MUSTER_AGENT_BOOT_ID', "the machine's", 'stands in for it where several nodes share one machine'],
  ['MUSTER_AGENT_STOP_MEMBERS_ON_EXIT', '0', '1: SIGTERM to the agent ends its members too, as in a local stack'],
];

/** What the machine gives, so that the reference is the same wherever it is written. */
const ofTheMachine: Readonly<Record<string, string>> = {
  MUSTER_AGENT_CPU_MILLI: 'all cores', MUSTER_AGENT_MEMORY_BYTES: 'all memory',
};

const describe = (rows: Described): string[] => [
  '| variable | default | meaning |', '|---|---|---|', ...rows.map(([name, standard, meaning]) => `| \`${name}\` | ${standard} | ${meaning} |`),
];

const bounds = (rows: readonly Bound[]): string[] => [
  '| variable | default | from | to | why |', '|---|---|---|---|---|',
  ...rows.map((row) => `| \`${row.env}\` | ${ofTheMachine[row.env] ?? row.default} | ${row.min} | ${row.max} | ${row.why} |`),
];

export function renderConfiguration(): string {
  return [
    '# Configuration', '',
    'Written by `node infra/docs/config-reference.ts` from the settings in the code; a test compares. All settings are environment variables, read once when a process starts. A value out of bounds ends the start with a sentence that names the variable.', '',
    'Files named here lie in `MUSTER_HOME`. A secret can be given in a file instead: `MUSTER_DATABASE_URL_FILE`, `MUSTER_DATABASE_OWNER_URL_FILE`, `MUSTER_PAGE_TOKEN_KEY_FILE`, `MUSTER_NATS_PASSWORD_FILE`, `MUSTER_NATS_ISSUER_SEED_FILE`, `MUSTER_API_KEY_FILE`, `MUSTER_AGENT_ENROLMENT_TOKEN_FILE`.', '',
    '## Home and log', '', ...describe(places), '',
    '## Addresses and secrets', '', ...describe(addresses), '',
    '## Ports of the local stack', '', ...describe(stackPorts), '', '`MUSTER_API_PORT` stands below, since the API has it outside of the local stack too.', '',
    '## Bounds of the control plane', '', ...bounds(Object.values(settings)), '',
    '## An agent', '', ...describe(agentFacts), '',
    '## Bounds of an agent', '', ...bounds(Object.values(agentSettings)), '',
  ].join('\n');
}

if (import.meta.main) await writeFile(configurationFile, renderConfiguration());
