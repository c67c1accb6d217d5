/** Nodes on the wire. */
import Type, { type Static } from 'typebox';
import type { NodeFound } from './nodes.ts';
import type { NodeMember } from './node-store.ts';
import { nodeStates, type NodeState } from './model.ts';
import { obstaclesOf } from './schedulable.ts';

const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const integerOrNull = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description });
const decimal = Type.String({ pattern: '^[0-9]+$' });
const strings = Type.Record(Type.String(), Type.String());

const DeviceView = Type.Object({
  index: Type.Integer(), model: Type.String(), uuid: Type.String(), memoryBytes: decimal,
  health: Type.String({ description: 'ok, degraded or failed' }),
  usedMilli: Type.Integer({ description: 'Thousandths that are allocated; 1000 is the whole device' }),
});

const MemberView = Type.Object({
  job: Type.String(), epoch: decimal, rank: Type.Integer(), devices: Type.Array(Type.Integer()),
  state: Type.String({ description: 'ordered, accepted, ready or stopping' }),
});

export const NodeView = Type.Object({
  name: Type.String(),
  state: Type.Enum([...nodeStates]),
  version: decimal,
  schedulable: Type.Boolean({ description: 'Takes new work' }),
  obstacles: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() }), { description: 'Why it takes no new work; empty where it does' }),
  bootId: textOrNull,
  address: textOrNull, hostname: textOrNull, agentVersion: textOrNull, checkpointReach: textOrNull,
  heardAgoMs: integerOrNull('Since its last heartbeat'),
  leaseLeftMs: integerOrNull('Until silence makes it UNKNOWN; negative once it is over'),
  cpuMilli: Type.Integer(), cpuUsedMilli: Type.Integer(), memoryBytes: decimal, memoryUsedBytes: decimal,
  topology: strings, labels: strings,
  devices: Type.Array(DeviceView),
  members: Type.Array(MemberView, { description: 'Members of jobs that are not gone' }),
  links: Type.Object({ self: Type.String() }),
}, { $id: 'Node' });

export function toNodeView({ node, devices, members }: NodeFound): Static<typeof NodeView> {
  return {
    name: node.id,
    state: node.state as NodeState,
    version: node.version.toString(),
    schedulable: node.schedulable ?? false,
    obstacles: obstaclesOf(node),
    bootId: node.boot_id,
    address: node.address, hostname: node.hostname, agentVersion: node.agent_version, checkpointReach: node.checkpoint_reach,
    heardAgoMs: rounded(node.heard_ago_ms), leaseLeftMs: rounded(node.lease_left_ms),
    cpuMilli: node.cpu_milli, cpuUsedMilli: node.cpu_used_milli,
    memoryBytes: node.memory_bytes.toString(), memoryUsedBytes: node.memory_used_bytes.toString(),
    topology: node.topology as Record<string, string>, labels: node.labels as Record<string, string>,
    devices: devices.map((device) => ({ ...device, memoryBytes: device.memoryBytes.toString() })),
    members: members.map(toMemberView),
    links: { self: `/v1/nodes/${node.id}` },
  };
}

const toMemberView = (member: NodeMember): Static<typeof MemberView> => ({ ...member, epoch: member.epoch.toString(), devices: [...member.devices] });
const rounded = (milliseconds: number | null): number | null => (milliseconds === null ? null : Math.round(milliseconds));
