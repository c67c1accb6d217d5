/**
 * Every setting of Muster, with its bound and its reason. Read once at the start of a process; a wrong value ends the
 * start with a sentence that names the variable.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

interface Bound { readonly default: number; readonly min: number; readonly max: number; readonly why: string }

const integers = {
  apiPort: { env: 'MUSTER_API_PORT', default: 17070, min: 0, max: 65535, why: 'REST API; 0 picks a free port' },
  metricsPort: { env: 'MUSTER_METRICS_PORT', default: 0, min: 0, max: 65535, why: "`/metrics` of this process; 0: none. `muster up` gives each process one, from this one on" },
  temporalMetricsPort: { env: 'MUSTER_TEMPORAL_METRICS_PORT', default: 0, min: 0, max: 65535, why: "metrics of the worker's Temporal core, which has a server of its own; 0: none" },
  databasePoolMax: { env: 'MUSTER_DATABASE_POOL_MAX', default: 10, min: 1, max: 100, why: 'six roles at two copies stay below 200 server connections' },
  statementTimeoutMs: { env: 'MUSTER_STATEMENT_TIMEOUT_MS', default: 10_000, min: 100, max: 600_000, why: 'no statement may outlive a lease' },
  lockTimeoutMs: { env: 'MUSTER_LOCK_TIMEOUT_MS', default: 5_000, min: 50, max: 60_000, why: 'a stuck lock surfaces before a lease ends' },

  heartbeatMs: { env: 'MUSTER_HEARTBEAT_MS', default: 5_000, min: 50, max: 60_000, why: 'six beats a lease: five may be lost' },
  leaseTtlMs: { env: 'MUSTER_LEASE_TTL_MS', default: 30_000, min: 300, max: 600_000, why: 'silence that long makes a node UNKNOWN' },
  leaseDriftMs: { env: 'MUSTER_LEASE_DRIFT_MS', default: 5_000, min: 50, max: 60_000, why: 'clock drift granted before a fence: t_fence = lease end + drift (P16)' },
  startTimeoutMs: { env: 'MUSTER_START_TIMEOUT_MS', default: 300_000, min: 500, max: 86_400_000, why: 'RESERVED to all ready; counted only while the nodes are heard' },
  killGraceMs: { env: 'MUSTER_KILL_GRACE_MS', default: 30_000, min: 100, max: 3_600_000, why: 'SIGTERM to SIGKILL where the spec says nothing' },
  stuckGraceMs: { env: 'MUSTER_STUCK_GRACE_MS', default: 60_000, min: 200, max: 3_600_000, why: 'past the kill deadline a reachable but unkillable process is fenced (P19)' },
  lostGraceMs: { env: 'MUSTER_LOST_GRACE_MS', default: 5_000, min: 50, max: 600_000, why: 'SIGTERM to SIGKILL for survivors of a lost gang: they can publish nothing any more' },
  ticketDeadlineMs: { env: 'MUSTER_TICKET_DEADLINE_MS', default: 120_000, min: 200, max: 3_600_000, why: 'two recoveries that each keep half of what either needs would wait for ever (P22)' },
  maxUnsupervisedAttempts: { env: 'MUSTER_MAX_UNSUPERVISED_ATTEMPTS', default: 1_000, min: 1, max: 1_000_000, why: 'placement stops when Temporal has been away for that many starts' },

  leaderLeaseMs: { env: 'MUSTER_LEADER_LEASE_MS', default: 5_000, min: 200, max: 60_000, why: 'take-over within 10 s of a dead leader' },
  placementBatchMembersMax: { env: 'MUSTER_PLACEMENT_BATCH_MEMBERS_MAX', default: 200, min: 1, max: 5_000, why: 'one commit stays well below a second' },
  pollMs: { env: 'MUSTER_POLL_MS', default: 500, min: 20, max: 60_000, why: 'a missed wake-up costs at most this; wakes make it sooner' },
  sweepMs: { env: 'MUSTER_SWEEP_MS', default: 2_000, min: 50, max: 600_000, why: 'sweeps repair drift; leases are swept at this pace' },
  queuedJobsMaxPerTeam: { env: 'MUSTER_QUEUED_JOBS_MAX_PER_TEAM', default: 200_000, min: 1, max: 10_000_000, why: 'the queue is bounded per team' },

  outboxRetentionHours: { env: 'MUSTER_OUTBOX_RETENTION_HOURS', default: 72, min: 1, max: 8_760, why: 'a reader may be away that long; older Last-Event-ID gets 410' },
  relayBatchRowsMax: { env: 'MUSTER_RELAY_BATCH_ROWS_MAX', default: 500, min: 1, max: 5_000, why: 'publishes in flight at once' },
  deliverMax: { env: 'MUSTER_DELIVER_MAX', default: 8, min: 1, max: 100, why: 'after that an event is a dead letter' },
  sseClientsMax: { env: 'MUSTER_SSE_CLIENTS_MAX', default: 1_000, min: 1, max: 100_000, why: 'open streams of one API process' },
  sseBufferBytesMax: { env: 'MUSTER_SSE_BUFFER_BYTES_MAX', default: 1_048_576, min: 1_024, max: 67_108_864, why: 'a reader that is slower than this is cut off and resumes' },
  sseHeartbeatMs: { env: 'MUSTER_SSE_HEARTBEAT_MS', default: 15_000, min: 100, max: 120_000, why: 'keeps proxies from closing an idle stream' },

  logBytesMaxPerMember: { env: 'MUSTER_LOG_BYTES_MAX_PER_MEMBER', default: 16_777_216, min: 65_536, max: 1_073_741_824, why: 'what a member prints beyond it is cut, and says so' },
  logChunkBytesMax: { env: 'MUSTER_LOG_CHUNK_BYTES_MAX', default: 65_536, min: 1_024, max: 524_288, why: 'well below the 1 MiB message limit of NATS' },
  logRetentionHours: { env: 'MUSTER_LOG_RETENTION_HOURS', default: 168, min: 1, max: 8_760, why: 'logs are not facts' },
  logStoreBytesMax: { env: 'MUSTER_LOG_STORE_BYTES_MAX', default: 4_294_967_296, min: 1_048_576, max: 1_099_511_627_776, why: 'oldest log chunks go first beyond it' },
  eventStoreBytesMax: { env: 'MUSTER_EVENT_STORE_BYTES_MAX', default: 1_073_741_824, min: 1_048_576, max: 1_099_511_627_776, why: 'the stream refuses new messages when full and alarms; Postgres keeps them' },

  bodyBytesMax: { env: 'MUSTER_BODY_BYTES_MAX', default: 1_048_576, min: 1_024, max: 67_108_864, why: 'largest request body' },
  batchBodyBytesMax: { env: 'MUSTER_BATCH_BODY_BYTES_MAX', default: 16_777_216, min: 1_024, max: 67_108_864, why: 'largest body of POST /v1/jobs:batch: a thousand jobs of 16 KiB' },
  requestsPerSecondMax: { env: 'MUSTER_REQUESTS_PER_SECOND_MAX', default: 10_000, min: 1, max: 1_000_000, why: 'of one key on one API process, counted over ten seconds: a loop gone wild leaves room for the others' },
  connectionsMax: { env: 'MUSTER_CONNECTIONS_MAX', default: 12_000, min: 10, max: 100_000, why: 'open connections of one API process, streams included: what comes beyond is closed at once' },
  requestHeadMs: { env: 'MUSTER_REQUEST_HEAD_MS', default: 10_000, min: 100, max: 120_000, why: 'a client that trickles its headers is cut off' },
  requestMs: { env: 'MUSTER_REQUEST_MS', default: 30_000, min: 100, max: 600_000, why: 'headers and body together, from their first byte; longer than a megabyte takes on a slow line' },
  keepAliveMs: { env: 'MUSTER_KEEP_ALIVE_MS', default: 75_000, min: 100, max: 600_000, why: 'an idle connection is closed; longer than the 60 s of usual load balancers, which would else reuse a closed one' },
  preferWaitSecondsMax: { env: 'MUSTER_PREFER_WAIT_SECONDS_MAX', default: 30, min: 1, max: 600, why: 'Prefer: wait=N waits no longer, below the time-outs of usual proxies' },
  waitersMax: { env: 'MUSTER_WAITERS_MAX', default: 1_000, min: 1, max: 100_000, why: 'requests of one API process that wait at a time; others are answered at once' },
  auditRetentionMonths: { env: 'MUSTER_AUDIT_RETENTION_MONTHS', default: 24, min: 12, max: 120, why: 'whole months older than this are dropped; the database refuses less than twelve' },
  operationRetentionHours: { env: 'MUSTER_OPERATION_RETENTION_HOURS', default: 168, min: 1, max: 8_760, why: 'how long an ended operation can be asked about' },
  pageSizeMax: { env: 'MUSTER_PAGE_SIZE_MAX', default: 200, min: 1, max: 1_000, why: 'largest page of a list' },
  idempotencyKeyRequired: { env: 'MUSTER_IDEMPOTENCY_KEY_REQUIRED', default: 0, min: 0, max: 1, why: '1: a POST that changes something is refused without Idempotency-Key; 0 spares people with curl, and every client of ours sends one anyway' },
  idempotencyHours: { env: 'MUSTER_IDEMPOTENCY_HOURS', default: 48, min: 1, max: 720, why: 'how long a key replays its answer' },
  beatBytesMax: { env: 'MUSTER_BEAT_BYTES_MAX', default: 524_288, min: 1_024, max: 1_048_576, why: 'largest heartbeat' },
  launchBytesMaxPerAnswer: { env: 'MUSTER_LAUNCH_BYTES_MAX_PER_ANSWER', default: 262_144, min: 1_024, max: 524_288, why: 'one more launch of at most launchBytesMax still fits the 1 MiB message limit of NATS' },
  launchBytesMax: { env: 'MUSTER_LAUNCH_BYTES_MAX', default: 262_144, min: 1_024, max: 524_288, why: 'arguments and environment of a member together: they cross NATS in one message, and execve has its own limit' },
  beatsInFlightMax: { env: 'MUSTER_BEATS_IN_FLIGHT_MAX', default: 64, min: 1, max: 10_000, why: 'beats of one ingest under way; the rest wait in NATS and expire at the agent' },
  commitWaitMsMax: { env: 'MUSTER_COMMIT_WAIT_MS_MAX', default: 60_000, min: 100, max: 600_000, why: 'rank 0 waits that long for the shards of the others' },
  uncommittedCheckpointStepsMax: { env: 'MUSTER_UNCOMMITTED_CHECKPOINT_STEPS_MAX', default: 64, min: 1, max: 10_000, why: 'a program that reports and never commits is told so' },
  checkpointShardSetsKept: { env: 'MUSTER_CHECKPOINT_SHARD_SETS_KEPT', default: 20, min: 2, max: 1_000, why: 'newest checkpoints whose shards can still be verified: that many commits back a restart may fall' },
  checkpointManifestsKept: { env: 'MUSTER_CHECKPOINT_MANIFESTS_KEPT', default: 1_000, min: 2, max: 100_000, why: 'manifests a job keeps as history' },
  callBytesMax: { env: 'MUSTER_CALL_BYTES_MAX', default: 524_288, min: 1_024, max: 1_048_576, why: 'one rank reports at most 1,024 shards of about 400 bytes' },
  callsInFlightMax: { env: 'MUSTER_CALLS_IN_FLIGHT_MAX', default: 64, min: 1, max: 10_000, why: 'checkpoint calls of one ingest under way; the rest wait in NATS' },

  agentLoginSeconds: { env: 'MUSTER_AGENT_LOGIN_SECONDS', default: 3_600, min: 2, max: 86_400, why: 'a login ends that soon and the agent logs in again, so a revoked one is cut off by then at the latest' },
  loginsInFlightMax: { env: 'MUSTER_LOGINS_IN_FLIGHT_MAX', default: 64, min: 1, max: 10_000, why: 'a fleet that reconnects at once is let in by turns; who is turned away tries again' },
  enrolmentTokenSecondsMax: { env: 'MUSTER_ENROLMENT_TOKEN_SECONDS_MAX', default: 604_800, min: 1, max: 31_536_000, why: 'a token that lies about unused ends within a week' },

  keyOverlapSecondsMax: { env: 'MUSTER_KEY_OVERLAP_SECONDS_MAX', default: 604_800, min: 0, max: 31_536_000, why: 'after a rotation the old secret of a key is valid for a week at most' },
  secretsMaxPerTeam: { env: 'MUSTER_SECRETS_MAX_PER_TEAM', default: 1_000, min: 1, max: 100_000, why: 'secrets of jobs that a team keeps' },
  oidcClockSkewSeconds: { env: 'MUSTER_OIDC_CLOCK_SKEW_SECONDS', default: 30, min: 0, max: 300, why: 'an identity provider whose clock differs by that much is still believed' },
  oidcKeysCacheSeconds: { env: 'MUSTER_OIDC_KEYS_CACHE_SECONDS', default: 600, min: 1, max: 86_400, why: 'a signing key that the provider withdrew is believed for that long at most' },
  oidcKeysCooldownSeconds: { env: 'MUSTER_OIDC_KEYS_COOLDOWN_SECONDS', default: 30, min: 0, max: 3_600, why: 'tokens with made-up key ids ask the provider at most once in that time' },

  workerCachedWorkflowsMax: { env: 'MUSTER_WORKER_CACHED_WORKFLOWS_MAX', default: 500, min: 0, max: 100_000, why: 'about 1 MB a cached run (ST3)' },
  workerActivitiesMax: { env: 'MUSTER_WORKER_ACTIVITIES_MAX', default: 20, min: 1, max: 1_000, why: 'twice the pool: the rest would wait for a connection' },
} as const satisfies Record<string, Bound & { env: string }>;

type Integers = { readonly [Name in keyof typeof integers]: number };

export interface Config extends Integers {
  readonly home: string;
  readonly databaseUrl: string;
  /** signs page tokens; empty: one of this process, so a token is good at one API process only */
  readonly pageTokenKey: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly temporalUiUrl: string;
  readonly natsUrl: string;
  readonly natsUser: string;
  readonly natsPassword: string;
  readonly natsIssuerSeed: string;
  /** encrypt the secrets of jobs: 32 bytes in base64url each; the first encrypts, all decrypt; empty: no secrets */
  readonly secretKeys: readonly string[];
  /** issuer whose bearer tokens are believed; empty: none */
  readonly oidcIssuer: string;
  readonly oidcAudience: string;
  readonly oidcJwksUrl: string;
  /** of signatures; nothing else is believed, whatever a token says */
  readonly oidcAlgorithms: readonly string[];
  /** claim with the groups of a subject; empty: groups are not looked at */
  readonly oidcGroupsClaim: string;
  readonly apiHost: string;
  readonly apiUrl: string;
  readonly metricsHost: string;
  /** OTLP over HTTP, without a path; empty: no traces */
  readonly otlpEndpoint: string;
  /** prefix of durable consumers and the task queue, so that tests on one stack stay apart */
  readonly scope: string;
  readonly logLevel: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Error that names the variable, its value and the allowed range */
export function readConfig(env: Environment = process.env): Config {
  const home = path.resolve(env['MUSTER_HOME'] ?? path.join(repositoryRoot, '.muster'));
  const port = (name: string, fallback: number): number => readInteger(env, { env: name, default: fallback, min: 1, max: 65_535, why: 'a port' });
  const numbers = Object.fromEntries(
    Object.entries(integers).map(([name, bound]) => [name, readInteger(env, bound)]),
  ) as unknown as Integers;
  return Object.freeze({
    ...numbers,
    home,
    databaseUrl: secret(env, 'MUSTER_DATABASE_URL', path.join(home, 'secrets/database-url')),
    pageTokenKey: secret(env, 'MUSTER_PAGE_TOKEN_KEY', path.join(home, 'secrets/page-token-key')),
    temporalAddress: env['MUSTER_TEMPORAL_ADDRESS'] ?? `127.0.0.1:${port('MUSTER_TEMPORAL_PORT', 17233)}`,
    temporalNamespace: env['MUSTER_TEMPORAL_NAMESPACE'] ?? 'default',
    temporalUiUrl: env['MUSTER_TEMPORAL_UI_URL'] ?? `http://127.0.0.1:${port('MUSTER_TEMPORAL_UI_PORT', 18233)}`,
    natsUrl: env['MUSTER_NATS_URL'] ?? `nats://127.0.0.1:${port('MUSTER_NATS_PORT', 14222)}`,
    natsUser: env['MUSTER_NATS_USER'] ?? 'control',
    natsPassword: secret(env, 'MUSTER_NATS_PASSWORD', path.join(home, 'secrets/nats-control-password')),
    natsIssuerSeed: secret(env, 'MUSTER_NATS_ISSUER_SEED', path.join(home, 'secrets/nats-issuer-seed')),
    secretKeys: secret(env, 'MUSTER_SECRET_KEY', path.join(home, 'secrets/secret-key')).split(/\s+/).filter((key) => key !== ''),
    ...readOidc(env),
    apiHost: env['MUSTER_API_HOST'] ?? '127.0.0.1',
    apiUrl: env['MUSTER_API_URL'] ?? `http://127.0.0.1:${numbers.apiPort}`,
    metricsHost: env['MUSTER_METRICS_HOST'] ?? '127.0.0.1',
    otlpEndpoint: env['MUSTER_OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '',
    scope: env['MUSTER_SCOPE'] ?? 'muster',
    logLevel: env['MUSTER_LOG_LEVEL'] ?? 'info',
  });
}

/**
 * Address for the role that owns the schema: migrations, restores. No part of the config: a service never has it. Where
 * a database is given without it, the given role is taken as the owner.
 */
export function readOwnerDatabaseUrl(env: Environment = process.env): string {
  const { home, databaseUrl } = readConfig(env);
  const isGiven = Boolean(env['MUSTER_DATABASE_URL'] || env['MUSTER_DATABASE_URL_FILE']);
  return secret(env, 'MUSTER_DATABASE_OWNER_URL', isGiven ? '' : path.join(home, 'secrets/database-owner-url')) || databaseUrl;
}

/** Signatures by a key pair only: with a shared secret everyone who can check a token could make one. */
const oidcAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

function readOidc(env: Environment): Pick<Config, 'oidcIssuer' | 'oidcAudience' | 'oidcJwksUrl' | 'oidcAlgorithms' | 'oidcGroupsClaim'> {
  const text = (name: string): string => env[`MUSTER_OIDC_${name}`] ?? '';
  const found = {
    oidcIssuer: text('ISSUER'), oidcAudience: text('AUDIENCE'), oidcJwksUrl: text('JWKS_URL'), oidcGroupsClaim: text('GROUPS_CLAIM'),
    oidcAlgorithms: (text('ALGORITHMS') || 'RS256').split(',').map((name) => name.trim()),
  };
  const unknown = found.oidcAlgorithms.find((name) => !oidcAlgorithms.includes(name));
  if (unknown !== undefined) throw new Error(`MUSTER_OIDC_ALGORITHMS=${text('ALGORITHMS')}: ${unknown} is none of ${oidcAlgorithms.join(', ')}`);
  if (found.oidcIssuer === '') return found;
  if (found.oidcAudience === '') throw new Error('MUSTER_OIDC_AUDIENCE is missing: a token that was made for another service must not open this one');
  const url = URL.parse(found.oidcJwksUrl);
  const isLocal = url !== null && ['127.0.0.1', '::1', '[::1]', 'localhost'].includes(url.hostname);
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isLocal)) throw new Error(`MUSTER_OIDC_JWKS_URL=${found.oidcJwksUrl}: give an https URL; whoever can change the keys on their way can make tokens`);
  return found;
}

function readInteger(env: Environment, bound: Bound & { env: string }): number {
  const text = env[bound.env];
  if (text === undefined || text === '') return bound.default;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < bound.min || value > bound.max) {
    throw new Error(`${bound.env}=${text}: give a whole number from ${bound.min} to ${bound.max} (${bound.why})`);
  }
  return value;
}

/** A secret from its variable, from the file that `…_FILE` names, or from the local stack's own file; empty when none is there. */
function secret(env: Environment, name: string, fallbackFile: string): string {
  const direct = env[name];
  if (direct !== undefined && direct !== '') return direct;
  const file = env[`${name}_FILE`] ?? fallbackFile;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

/** For the configuration reference: every integer setting with its bound and reason. */
export const settings: Readonly<Record<string, Bound & { env: string }>> = integers;
