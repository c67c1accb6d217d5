/**
 * Fleet: what agents and the control plane say to each other (design.md §3.2, protocol.md P1–P11).
 * Everything is JSON; epochs, sessions, generations and bytes are decimal strings.
 */

export const nodeStates = ['LIVE', 'UNKNOWN', 'DEAD'] as const;
export type NodeState = (typeof nodeStates)[number];

/** Subjects of one agent. Its credential allows just these, and replies below its own inbox. */
export const subjects = {
  beat: (node: string): string => `agent.${node}.beat`,
  call: (node: string): string => `agent.${node}.call`,
  nudge: (node: string): string => `agent.${node}.nudge`,
  enrol: (node: string): string => `enrol.${node}`,
  logs: (node: string, job: string, epoch: string, rank: number): string => `logs.${node}.${job}.${epoch}.${rank}`,
  inboxPrefix: (node: string): string => `_INBOX_agent_${node}`,
  allBeats: 'agent.*.beat',
  allCalls: 'agent.*.call',
  allEnrolments: 'enrol.*',
  allNudges: 'agent.*.nudge',
  allLogs: 'logs.*.*.*.*',
} as const;

/** A node's name: part of NATS subjects and folder names. */
export const nodeNamePattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';
const nodeName = new RegExp(nodeNamePattern);
export const isNodeName = (text: string): boolean => nodeName.test(text);

export type DeviceHealth = 'ok' | 'degraded' | 'failed';

export interface DeviceFact {
  readonly index: number;
  readonly model: string;
  readonly uuid: string;
  readonly memoryBytes: string;
  readonly health: DeviceHealth;
}

/** What a node is; sent with the first beat of a process and whenever it changes. */
export interface NodeFacts {
  readonly agentVersion: string;
  readonly hostname: string;
  /** address other members reach this node's processes at */
  readonly address: string;
  readonly cpuMilli: number;
  readonly memoryBytes: string;
  readonly devices: readonly DeviceFact[];
  /** region, zone, pod, rack, nvlink; absent levels are unknown */
  readonly topology: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** whether the agent's checkpoint root is seen by other nodes */
  readonly checkpointReach: 'node' | 'shared';
}

export interface MemberKey {
  readonly job: string;
  readonly epoch: string;
  readonly rank: number;
}

/**
 * accepted: start record durable, process started or about to be · ready · exited: with code or signal, kept until
 * acknowledged (P8) · gone: no process and no exit known · refused: the start can't be done here.
 */
export type MemberObservation = MemberKey & (
  | { readonly state: 'accepted' | 'ready'; readonly address: string; readonly port: number; readonly pid: number;
      readonly devices: readonly number[]; readonly progress?: MemberProgress }
  | { readonly state: 'exited'; readonly exitCode: number | null; readonly signal: string | null; readonly progress?: MemberProgress;
      /** rank 0's, where its acceptance was never told: the others' start orders wait for it */
      readonly address?: string; readonly port?: number }
  | { readonly state: 'gone' }
  | { readonly state: 'refused'; readonly code: RefusalCode; readonly detail: string; readonly checkpoint?: string }
);

export type RefusalCode = 'checkpoint_unreadable' | 'spawn_failed' | 'device_missing' | 'disk_full' | 'working_directory_missing';

export interface MemberProgress {
  readonly step: number;
  readonly totalSteps?: number;
  readonly message?: string;
}

export interface Beat {
  readonly node: string;
  readonly clusterId: string | null;
  /** of the credential the agent connected with; revocation acts at the next beat */
  readonly credentialVersion: number;
  readonly bootId: string;
  /** issued by the control plane; "0" until the hello (P1) */
  readonly session: string;
  /** rises by one a beat within an agent process (P2) */
  readonly sequence: number;
  /** highest incarnation the agent has seen */
  readonly incarnation: number;
  readonly facts?: NodeFacts;
  /** SHA-256, in hex, of a secret that the agent has stored, because an answer asked it to rotate */
  readonly nextSecretSha256?: string;
  /** every member the agent knows, orphans too */
  readonly members: readonly MemberObservation[];
}

/** What the agent needs to start one member. */
export interface MemberLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string | null;
  readonly worldSize: number;
  readonly localRank: number;
  readonly devices: readonly number[];
  readonly readiness: 'start' | 'signal';
  readonly exclusive: boolean;
  /** rank 0's address; null for rank 0 itself, which chooses its port and reports it with its acceptance */
  readonly master: { readonly address: string; readonly port: number } | null;
  /** all checkpoints of a job: newest first is what a restart gets; null when none was committed */
  readonly resume: ResumePoint | null;
  readonly logBytesMax: string;
  /** variables with the values of the job's secrets: for the member's environment only, never for a file or a log */
  readonly secrets?: Readonly<Record<string, string>>;
  /** why they can't be had: the agent refuses the start with this sentence */
  readonly secretsMissing?: string;
}

export interface ResumePoint {
  readonly checkpoint: string;
  readonly step: number;
  /** relative to the checkpoint root */
  readonly dir: string;
  readonly reach: 'node' | 'shared';
  /** shards this rank must find intact before it starts */
  readonly shards: readonly ShardFact[];
}

export interface ShardFact {
  readonly path: string;
  readonly bytes: string;
  readonly sha256: string;
}

/** `start` until accepted, then `keep`: an agent told to keep what it doesn't know reports it gone (P5). */
export type RunItem = MemberKey & (
  | { readonly order: 'start'; readonly launch: MemberLaunch }
  | { readonly order: 'keep' }
);

export interface StopItem extends MemberKey {
  readonly reason: string;
  /** SIGTERM now, SIGKILL after this long since the agent first saw the order */
  readonly graceMs: number;
}

export interface Answer {
  readonly clusterId: string;
  readonly incarnation: number;
  readonly session: string;
  /** the beat's sequence: an answer not newer than the last applied is dropped (P3) */
  readonly echo: number;
  /** only the session is issued, no lists: the next beat must carry it (P1) */
  readonly hello?: true;
  /** lease granted from the agent's own send time of the echoed beat */
  readonly leaseTtlMs: number;
  readonly heartbeatMs: number;
  readonly generation: string;
  readonly run: readonly RunItem[];
  readonly stop: readonly StopItem[];
  /** exits and tombstones that are recorded and may be forgotten (P8) */
  readonly ack: readonly MemberKey[];
  /** make a new secret, store it, and offer its hash with the next beat; repeated until then */
  readonly rotate?: true;
  /** the offered secret is valid from now on, under this version; the old one ends with the first beat that carries it */
  readonly nextCredential?: { readonly sha256: string; readonly version: number };
}

/** The beat was not current, or the agent may not speak; nothing was changed. */
export interface BeatRefusal {
  readonly refused: 'credential_revoked' | 'stale' | 'invalid' | 'unknown_node' | 'unavailable';
  readonly detail: string;
}

/** Requests on `agent.<node>.call`. */
export type AgentCall =
  | { readonly op: 'shards'; readonly member: MemberKey; readonly step: number; readonly files: readonly ShardFact[] }
  | { readonly op: 'commit'; readonly member: MemberKey; readonly step: number; readonly dir: string; readonly reach: 'node' | 'shared';
      readonly layout: Readonly<Record<string, unknown>>; readonly dataPosition: Readonly<Record<string, unknown>> };

/** As it goes over the wire: one whose credential was replaced or revoked is refused. */
export type SignedCall = AgentCall & { readonly credentialVersion: number };

export type AgentCallReply =
  | { readonly ok: true; readonly checkpoint?: string; readonly step: number }
  | { readonly ok: false; readonly code: 'checkpoint_fenced' | 'checkpoint_incomplete' | 'checkpoint_step_not_newer' | 'invalid' | 'unavailable';
      readonly detail: string };

/** Exchange of an enrolment token for a node credential, on `enrol.<node>`. The secret is returned once and stored hashed. */
export interface EnrolRequest { readonly node: string; readonly token: string }
export type EnrolReply =
  | { readonly ok: true; readonly clusterId: string; readonly credentialVersion: number; readonly secret: string }
  | { readonly ok: false; readonly code: 'token_unknown' | 'token_used' | 'token_expired' | 'node_mismatch' | 'invalid'; readonly detail: string };
