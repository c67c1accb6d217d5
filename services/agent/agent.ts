/** One node's agent: its parts and their order (design.md §3.2). Members are taken over before the first word to anyone. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { subjects, type Answer, type NodeFacts } from '#services/fleet/model.ts';
import { logMessageId } from '#services/logs/model.ts';
import type { Log } from '#services/platform/log.ts';
import type { Bus } from '#services/platform/nats/bus.ts';
import { publishLog } from '#services/platform/nats/log-stream.ts';
import { Beater, type BeatEnd } from './beat.ts';
import { readBootId } from './boot-id.ts';
import { callsOver } from './calls.ts';
import { prepareControlFolder } from './control-path.ts';
import { readDevices } from './devices.ts';
import { readWhole, writeWhole } from './durable-file.ts';
import { loginAs, obtainCredential, reEnrolRemedy, type Credential } from './enrol.ts';
import { Lease } from './lease.ts';
import { Rotation } from './rotation.ts';
import { Members, membersRoot } from './members.ts';
import { takeDataFolder } from './one-agent.ts';
import type { AgentSettings } from './settings.ts';

/** Hears what the agent does, for its metrics. */
export interface AgentObserver {
  beat(end: BeatEnd): void;
  /** output that the log store has taken */
  logged(bytes: number): void;
}

export interface Agent {
  /** that run or are about to */
  members(): number;
  /** Ends with the reason, when the agent can't go on; members run on. */
  readonly failed: Promise<Error>;
  /** Ends the agent. Members run on, unless the settings say otherwise. */
  stop(): Promise<void>;
}

/** a login takes milliseconds; a restart of NATS and its auth callout seconds */
const loginHintMs = 15_000;

/**
 * Starts the agent: ready when it looks after the members that an earlier one left. It needs neither NATS nor the
 * control plane for that, and connects in the background.
 */
export async function startAgent(settings: AgentSettings, log: Log, observer?: AgentObserver): Promise<Agent> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const release = takeDataFolder(settings.dataDir);
  const bootId = await readBootId(settings.bootId);
  const facts = await readFacts(settings);
  const lease = new Lease(settings.dataDir, bootId);
  const stopping = new AbortController();
  let bus: Bus | undefined;
  let beater: Beater | undefined;
  let rotation: Rotation | undefined;
  const members = new Members({
    ...settings,
    root: membersRoot(settings.dataDir),
    site: {
      bootId, address: settings.address, deviceIndexes: new Set(facts.devices.map(({ index }) => index)),
      checkpointRoot: settings.checkpointRoot, controlFolder: prepareControlFolder(settings.runDir), leaseFile: lease.file, ports: settings,
    },
    control: { ...settings, call: callsOver(settings.node, () => bus, () => rotation?.version() ?? 0), changed: () => beater?.wake() },
    publishLog: async (member, chunk) => {
      if (!bus) throw new Error('not connected');
      const source = { node: settings.node, ...member };
      await publishLog(bus, subjects.logs(source.node, source.job, source.epoch, source.rank), logMessageId(source, chunk), chunk);
      observer?.logged(Buffer.byteLength(chunk.text, 'base64'));
    },
    log,
  });
  await members.adopt();

  async function speak(): Promise<void> {
    const credential = await obtainCredential(settings, log, stopping.signal);
    const own = new Rotation(settings.dataDir, credential, log);
    rotation = own;
    const hint = setTimeout(() => log.warn(`still not let in by NATS; where it refuses the login: ${reEnrolRemedy}`), loginHintMs);
    bus = await loginAs(settings, () => own.credential, log, stopping.signal).finally(() => clearTimeout(hint));
    beater = new Beater({
      ...settings, ...credential, rotation: own, bus, bootId, facts, log, incarnation: readIncarnation(settings.dataDir, credential),
      observe: () => members.observe(), apply: follow, onBeat: (end) => observer?.beat(end),
    });
    bus.listen(subjects.nudge(settings.node), () => beater?.wake());
    bus.onReconnect(() => beater?.wake());
    await beater.run(stopping.signal);
  }

  function follow(answer: Answer, leaseUntilMs: number): void {
    keepIncarnation(settings.dataDir, answer);
    lease.extend(leaseUntilMs);
    members.apply(answer);
    if (rotation?.follow(answer)) beater?.wake();
  }

  const speaking = speak().catch((error: unknown) => error as Error);
  return {
    members: () => members.active().length,
    failed: new Promise((resolve) => void speaking.then((error) => { if (error && !stopping.signal.aborted) resolve(error); })),
    async stop() {
      if (settings.stopMembersOnExit) await members.stopAll(settings.exitGraceMs);
      stopping.abort();
      members.close();
      await speaking;
      await bus?.close();
      release();
    },
  };
}

async function readFacts(settings: AgentSettings): Promise<NodeFacts> {
  const { hostname, address, cpuMilli, memoryBytes, topology, labels, checkpointReach } = settings;
  return {
    agentVersion: agentVersion(), hostname, address, cpuMilli, memoryBytes: String(memoryBytes), topology, labels, checkpointReach,
    devices: await readDevices(settings),
  };
}

function agentVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return existsSync(file) ? String((JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version ?? '0') : '0';
}

interface KnownCluster { readonly clusterId: string; readonly incarnation: number }

const clusterFile = (dataDir: string): string => path.join(dataDir, 'cluster.json');

/** P3 holds across restarts: an answer of an older incarnation stays old. */
function readIncarnation(dataDir: string, { clusterId }: Credential): number {
  const known = readWhole(clusterFile(dataDir)) as KnownCluster | undefined;
  return known?.clusterId === clusterId ? known.incarnation : 0;
}

function keepIncarnation(dataDir: string, { clusterId, incarnation }: Answer): void {
  const known = readWhole(clusterFile(dataDir)) as KnownCluster | undefined;
  if (known?.clusterId !== clusterId || known.incarnation < incarnation) writeWhole(clusterFile(dataDir), { clusterId, incarnation });
}
