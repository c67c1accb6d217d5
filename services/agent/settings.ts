/**
 * Settings of an agent, with bounds and their reasons. Read once at the start; a wrong value ends the start with a
 * sentence that names the variable.
 */
import { existsSync, readFileSync } from 'node:fs';
import { cpus, hostname, totalmem } from 'node:os';
import path from 'node:path';
import { nodeNamePattern } from '#services/fleet/model.ts';
import { repositoryRoot, type Environment } from '#services/platform/config.ts';

interface Bound { readonly env: string; readonly default: number; readonly min: number; readonly max: number; readonly why: string }

const integers = {
  heartbeatMs: { env: 'MUSTER_HEARTBEAT_MS', default: 5_000, min: 50, max: 60_000, why: 'until the first answer says otherwise' },
  beatTimeoutMs: { env: 'MUSTER_AGENT_BEAT_TIMEOUT_MS', default: 4_000, min: 50, max: 30_000, why: 'an answer that is later is worth less than a new beat' },
  superviseMs: { env: 'MUSTER_AGENT_SUPERVISE_MS', default: 250, min: 10, max: 10_000, why: 'a missed file notice costs at most this' },
  supersededGraceMs: { env: 'MUSTER_AGENT_SUPERSEDED_GRACE_MS', default: 5_000, min: 0, max: 600_000, why: 'an older epoch has nothing left to save' },
  exitGraceMs: { env: 'MUSTER_AGENT_EXIT_GRACE_MS', default: 5_000, min: 0, max: 8_000, why: 'members of a local stack that ends; a role ends within 10 s' },
  callTimeoutMs: { env: 'MUSTER_AGENT_CALL_TIMEOUT_MS', default: 10_000, min: 100, max: 60_000, why: 'a checkpoint call is tried that long; then the program tries again' },
  membersMax: { env: 'MUSTER_AGENT_MEMBERS_MAX', default: 256, min: 1, max: 4_096, why: 'members running on one node; a beat carries them all' },
  portMin: { env: 'MUSTER_AGENT_PORT_MIN', default: 24_000, min: 1_024, max: 65_535, why: 'rank 0 listens here: below the ephemeral ports of Linux' },
  portMax: { env: 'MUSTER_AGENT_PORT_MAX', default: 32_767, min: 1_024, max: 65_535, why: 'rank 0 listens here: below the ephemeral ports of Linux' },
  logChunkBytesMax: { env: 'MUSTER_LOG_CHUNK_BYTES_MAX', default: 65_536, min: 1_024, max: 524_288, why: 'well below the 1 MiB message limit of NATS' },
  metricsPort: { env: 'MUSTER_METRICS_PORT', default: 0, min: 0, max: 65_535, why: '`/metrics` of this agent; 0: none' },
  cpuMilli: { env: 'MUSTER_AGENT_CPU_MILLI', default: cpus().length * 1_000, min: 1, max: 1_024_000_000, why: 'thousandths of a core that jobs may take' },
  memoryBytes: { env: 'MUSTER_AGENT_MEMORY_BYTES', default: totalmem(), min: 1, max: Number.MAX_SAFE_INTEGER, why: 'bytes that jobs may take' },
} as const satisfies Record<string, Bound>;

type Integers = { readonly [Name in keyof typeof integers]: number };

export interface AgentSettings extends Integers {
  readonly node: string;
  readonly natsUrl: string;
  readonly dataDir: string;
  /** folder of the control sockets: their paths must stay below 108 bytes */
  readonly runDir: string;
  /** empty where none was given: then the node's own credential must be there */
  readonly enrolmentToken: string;
  /** exchange the token even though a credential is there */
  readonly reEnrol: boolean;
  readonly checkpointRoot: string;
  readonly checkpointReach: 'node' | 'shared';
  /** virtual devices to declare where there is no nvidia-smi */
  readonly virtualDevices: number;
  readonly virtualDeviceModel: string;
  readonly topology: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly address: string;
  readonly hostname: string;
  /** stands in for the machine's own, where several nodes share one machine */
  readonly bootId: string | undefined;
  readonly stopMembersOnExit: boolean;
  readonly metricsHost: string;
  readonly logLevel: string;
}

const devicesMax = 64;

/** @throws Error that names the variable, its value and what is allowed */
export function readAgentSettings(env: Environment = process.env): AgentSettings {
  const home = path.resolve(env['MUSTER_HOME'] ?? path.join(repositoryRoot, '.muster'));
  const node = env['MUSTER_NODE_NAME'] ?? hostname().toLowerCase();
  if (!new RegExp(nodeNamePattern).test(node)) throw new Error(`MUSTER_NODE_NAME=${node}: give letters a-z, digits and dashes, at most 63 characters`);
  const dataDir = path.resolve(env['MUSTER_AGENT_DATA_DIR'] ?? path.join(home, 'data/agents', node));
  const numbers = Object.fromEntries(Object.entries(integers).map(([name, bound]) => [name, readInteger(env, bound)])) as unknown as Integers;
  return Object.freeze({
    ...numbers,
    node,
    dataDir,
    runDir: path.resolve(env['MUSTER_AGENT_RUN_DIR'] ?? path.join(dataDir, 's')),
    natsUrl: env['MUSTER_NATS_URL'] ?? `nats://127.0.0.1:${env['MUSTER_NATS_PORT'] ?? '14222'}`,
    enrolmentToken: readSecret(env, 'MUSTER_AGENT_ENROLMENT_TOKEN'),
    reEnrol: env['MUSTER_AGENT_RE_ENROL'] === '1',
    checkpointRoot: path.resolve(env['MUSTER_CHECKPOINT_ROOT'] ?? path.join(dataDir, 'checkpoints')),
    checkpointReach: readChoice(env, 'MUSTER_CHECKPOINT_REACH', ['node', 'shared'] as const),
    virtualDevices: readInteger(env, { env: 'MUSTER_AGENT_DEVICES', default: 0, min: 0, max: devicesMax, why: 'virtual devices' }),
    virtualDeviceModel: env['MUSTER_AGENT_DEVICE_MODEL'] ?? 'virtual',
    topology: readPairs(env, 'MUSTER_AGENT_TOPOLOGY'),
    labels: readPairs(env, 'MUSTER_AGENT_LABELS'),
    address: env['MUSTER_AGENT_ADDRESS'] ?? '127.0.0.1',
    hostname: hostname(),
    bootId: env['MUSTER_AGENT_BOOT_ID'],
    stopMembersOnExit: env['MUSTER_AGENT_STOP_MEMBERS_ON_EXIT'] === '1',
    metricsHost: env['MUSTER_METRICS_HOST'] ?? '127.0.0.1',
    logLevel: env['MUSTER_LOG_LEVEL'] ?? 'info',
  });
}

function readInteger(env: Environment, bound: Bound): number {
  const text = env[bound.env];
  if (text === undefined || text === '') return bound.default;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < bound.min || value > bound.max) {
    throw new Error(`${bound.env}=${text}: give a whole number from ${bound.min} to ${bound.max} (${bound.why})`);
  }
  return value;
}

function readChoice<const Choice extends string>(env: Environment, name: string, choices: readonly [Choice, ...Choice[]]): Choice {
  const text = env[name] ?? choices[0];
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new Error(`${name}=${text}: give one of ${choices.join(', ')}`);
  return found;
}

/** `rack=r1,zone=z1` */
function readPairs(env: Environment, name: string): Record<string, string> {
  const pairs = (env[name] ?? '').split(',').map((pair) => pair.trim()).filter(Boolean);
  return Object.fromEntries(pairs.map((pair) => {
    const [key, value, ...rest] = pair.split('=');
    if (!key || !value || rest.length > 0) throw new Error(`${name}=${env[name] ?? ''}: give key=value pairs, separated by commas`);
    return [key, value];
  }));
}

function readSecret(env: Environment, name: string): string {
  const direct = env[name];
  if (direct !== undefined && direct !== '') return direct;
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return '';
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

/** For the configuration reference: every integer setting with its bound and reason. */
export const agentSettings: Readonly<Record<string, Bound>> = integers;
