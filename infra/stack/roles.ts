import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../setup/paths.js';
import { agentOrder } from './end-parts.ts';
import type { Layout } from './layout.ts';
import type { RoleName } from './part.ts';
import type { ProcessSpec } from './process.ts';

const roleOrder = 10;
/** A role ends cleanly within 10 s of SIGTERM; two more before it is killed. */
const stopTimeoutMs = 12_000;
const readyTimeoutMs = 60_000;

export interface Addresses { readonly temporal: string; readonly temporalUi: string | null; readonly nats: string }

/** A role of the control plane as a process of its own. */
export function roleSpec(layout: Layout, role: RoleName, addresses: Addresses): ProcessSpec {
  return spec(role, role, roleOrder, {
    ...process.env,
    MUSTER_HOME: layout.home,
    MUSTER_TEMPORAL_ADDRESS: addresses.temporal,
    MUSTER_NATS_URL: addresses.nats,
    ...(addresses.temporalUi && { MUSTER_TEMPORAL_UI_URL: addresses.temporalUi }),
  });
}

export interface AgentSpec {
  readonly node: string;
  readonly devices: number;
  readonly rack: number;
  readonly enrolmentTokenFile: string;
  readonly natsUrl: string;
}

/** An agent with virtual devices; it gets nothing of the control plane but the address of NATS (design.md §3.2). */
export function agentSpec(layout: Layout, agent: AgentSpec): ProcessSpec {
  const dataDir = path.join(layout.data, 'agents', agent.node);
  const checkpointRoot = path.join(layout.data, 'checkpoints');
  for (const dir of [dataDir, checkpointRoot]) mkdirSync(dir, { recursive: true });
  return spec(agent.node, 'agent', agentOrder, {
    ...withoutSecrets(process.env),
    MUSTER_HOME: layout.home,
    MUSTER_NATS_URL: agent.natsUrl,
    MUSTER_NODE_NAME: agent.node,
    MUSTER_AGENT_DEVICES: String(agent.devices),
    MUSTER_AGENT_DEVICE_MODEL: 'virtual-h100',
    MUSTER_AGENT_TOPOLOGY: `region=local,zone=a,pod=p1,rack=r${agent.rack},nvlink=${agent.node}`,
    MUSTER_AGENT_ENROLMENT_TOKEN_FILE: agent.enrolmentTokenFile,
    MUSTER_AGENT_DATA_DIR: dataDir,
    MUSTER_CHECKPOINT_ROOT: checkpointRoot,
    MUSTER_CHECKPOINT_REACH: 'shared', // all nodes of the local stack see one folder
  });
}

/** Nodes 1…N in contiguous racks of nearly equal size, numbered from 1. */
export const rackOf = (index: number, agents: number, racks: number): number => Math.floor((index * racks) / agents) + 1;

function spec(name: string, role: string, order: number, env: NodeJS.ProcessEnv): ProcessSpec {
  return {
    name,
    program: process.execPath,
    args: [path.join(repositoryRoot, 'services', 'roles', `${role}.ts`)],
    env,
    cwd: repositoryRoot,
    order,
    stopSignal: 'SIGTERM',
    stopTimeoutMs,
    readyTimeoutMs,
    ready: 'message',
  };
}

const secretVariable = /^MUSTER_(DATABASE_URL|DATABASE_OWNER_URL|PAGE_TOKEN_KEY|TEMPORAL_ADDRESS|NATS_USER|NATS_PASSWORD|NATS_ISSUER_SEED|API_KEY)(_FILE)?$/;

const withoutSecrets = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !secretVariable.test(name)));
