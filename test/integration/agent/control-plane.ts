/**
 * The control plane's side of services/fleet/model.ts for one node, as small as the protocol allows: it issues
 * sessions, keeps desired members, records what it hears. Everything it says goes over a real NATS server.
 */
import { subjects, type AgentCall, type AgentCallReply, type Answer, type Beat, type BeatRefusal, type MemberKey, type MemberLaunch, type MemberObservation, type RunItem } from '#services/fleet/model.ts';
import { logMessageId, parseLogChunk, parseLogSubject, type LogChunk } from '#services/logs/model.ts';
import { openLog } from '#services/platform/log.ts';
import { answerLogins } from '#services/platform/nats/auth-callout.ts';
import { connectControl } from '#services/platform/nats/bus.ts';
import { ensureLogStream } from '#services/platform/nats/streams.ts';
import { readConfig } from '#services/platform/config.ts';
import type { NatsServer } from '../fleet-door/nats-server.ts';

interface Desired { readonly key: MemberKey; readonly launch: MemberLaunch; order: 'start' | 'keep' | 'none'; stop: { reason: string; graceMs: number } | undefined }

export const textOf = ({ job, epoch, rank }: MemberKey): string => `${job}/${epoch}/${rank}`;

const log = openLog('test', process.env['MUSTER_LOG_LEVEL'] ?? 'silent');

export interface ControlPlane {
  readonly node: string;
  /** each beat that was current, in order */
  readonly beats: Beat[];
  /** each beat that came, current or not */
  readonly heard: Beat[];
  readonly calls: AgentCall[];
  /** answers nothing, as if it were away */
  isAway: boolean;
  /** a last word on each answer */
  change: (answer: Answer, beat: Beat) => Answer | BeatRefusal | Record<string, never>;
  /** replies to checkpoint calls; throws to give none */
  reply: (call: AgentCall) => Promise<AgentCallReply>;
  start(key: MemberKey, launch: MemberLaunch): void;
  keep(key: MemberKey, launch: MemberLaunch): void;
  stop(key: MemberKey, graceMs: number, reason?: string): void;
  /** takes it off every list, without a word */
  forget(key: MemberKey): void;
  /** latest of a member */
  seen(key: MemberKey): MemberObservation | undefined;
  /** all that was ever observed of a member, repetitions left out */
  history(key: MemberKey): string[];
  acknowledges: boolean;
  nudge(): void;
  /** chunks as the stream keeps them: a repetition under the same id is stored once */
  logs(key: MemberKey): LogChunk[];
  close(): Promise<void>;
}

export const clusterId = 'cluster-of-the-test';

export async function openControlPlane(nats: NatsServer, node: string): Promise<ControlPlane> {
  const config = { ...readConfig({}), natsUrl: nats.url, natsUser: 'control', natsPassword: nats.password, natsIssuerSeed: nats.issuerSeed };
  const bus = await connectControl(config, log, 'control');
  await ensureLogStream(bus, { ...config, logStoreBytesMax: 256 * 1024 * 1024 });
  const logins = await answerLogins(config, log, async ({ user, password }) => user === node && password === 'node:the-secret' ? {
    publish: [subjects.beat(node), subjects.call(node), `logs.${node}.>`],
    subscribe: [subjects.nudge(node), `${subjects.inboxPrefix(node)}.>`], expiresInSeconds: 3_600,
  } : user === node && password === 'enrol:the-token' ? {
    publish: [subjects.enrol(node)], subscribe: [`${subjects.inboxPrefix(node)}.>`], expiresInSeconds: 60,
  } : undefined);

  const desired = new Map<string, Desired>();
  const chunks = new Map<string, Map<string, LogChunk>>();
  const histories = new Map<string, MemberObservation[]>();
  let issued = 0;
  let current = { session: 0, sequence: 0 };
  let generation = 1;

  const plane: ControlPlane = {
    node, beats: [], heard: [], calls: [], isAway: false, acknowledges: true, change: (answer) => answer,
    reply: async (call) => ({ ok: true, checkpoint: 'ckpt_of_the_test', step: call.step }),
    start: (key, launch) => { desired.set(textOf(key), { key, launch, order: 'start', stop: undefined }); generation += 1; },
    keep: (key, launch) => { desired.set(textOf(key), { key, launch, order: 'keep', stop: undefined }); generation += 1; },
    stop(key, graceMs, reason = 'cancel') {
      const known = desired.get(textOf(key));
      desired.set(textOf(key), { key, launch: known?.launch ?? anyLaunch, order: 'none', stop: { reason, graceMs } });
      generation += 1;
    },
    forget: (key) => { desired.delete(textOf(key)); generation += 1; },
    seen: (key) => histories.get(textOf(key))?.at(-1),
    history: (key) => (histories.get(textOf(key)) ?? []).map(({ state }) => state).filter((state, index, all) => state !== all[index - 1]),
    nudge: () => bus.publish(subjects.nudge(node), {}),
    logs: (key) => [...chunks.get(textOf(key))?.values() ?? []],
    async close() {
      await logins.close();
      await bus.close();
    },
  };

  function hear(beat: Beat): Answer | BeatRefusal {
    const base = { clusterId, incarnation: 1, echo: beat.sequence, leaseTtlMs: 1_000, heartbeatMs: 100, generation: String(generation) };
    if (beat.session === '0') return { ...base, session: String(++issued), hello: true, run: [], stop: [], ack: [] };
    const session = Number(beat.session);
    if (session < current.session || (session === current.session && beat.sequence <= current.sequence)) return { refused: 'stale', detail: '' };
    current = { session, sequence: beat.sequence };
    plane.beats.push(beat);
    for (const observation of beat.members) observe(observation);
    const all = [...desired.values()];
    return {
      ...base, session: beat.session,
      run: all.flatMap(({ key, launch, order }): RunItem[] => order === 'start' ? [{ ...key, order, launch }] : order === 'keep' ? [{ ...key, order }] : []),
      stop: all.flatMap(({ key, stop }) => stop ? [{ ...key, ...stop }] : []),
      ack: plane.acknowledges ? beat.members.filter(isOver).map(({ job, epoch, rank }) => ({ job, epoch, rank })) : [],
    };
  }

  function observe(observation: MemberObservation): void {
    const text = textOf(observation);
    histories.set(text, [...histories.get(text) ?? [], observation]);
    const known = desired.get(text);
    if (!known) return;
    if (isOver(observation)) desired.delete(text);
    else if (known.order === 'start') known.order = 'keep';
  }

  bus.listen('logs.>', (value, subject) => {
    const source = parseLogSubject(subject);
    const chunk = parseLogChunk(value);
    if (!source || !chunk) throw new Error(`not a log chunk on ${subject}`);
    const stored = chunks.get(textOf(source)) ?? new Map<string, LogChunk>();
    chunks.set(textOf(source), stored);
    const id = logMessageId(source, chunk);
    if (!stored.has(id)) stored.set(id, chunk);
  });
  bus.respond(subjects.allBeats, async (value) => {
    const beat = value as Beat;
    plane.heard.push(beat);
    if (plane.isAway) throw new Error('away');
    const answer = hear(beat);
    return 'refused' in answer ? answer : plane.change(answer, beat);
  }, { inFlightMax: 64, bytesMax: 1_000_000 });
  bus.respond(subjects.allCalls, async (value) => {
    if (plane.isAway) throw new Error('away');
    plane.calls.push(value as AgentCall);
    return plane.reply(value as AgentCall);
  }, { inFlightMax: 64, bytesMax: 1_000_000 });
  bus.respond(subjects.allEnrolments, async () => ({ ok: true, clusterId, credentialVersion: 7, secret: 'the-secret' }), { inFlightMax: 4, bytesMax: 10_000 });
  await bus.flush();
  return plane;
}

const isOver = ({ state }: MemberObservation): boolean => state === 'exited' || state === 'gone' || state === 'refused';

/** A launch with nothing special in it. */
export const anyLaunch: MemberLaunch = {
  argv: ['/bin/sh', '-c', 'exec sleep 600'], env: {}, workingDirectory: null, worldSize: 1, localRank: 0, devices: [], readiness: 'start',
  exclusive: false, master: null, resume: null, logBytesMax: '1000000',
};

/** `script` run by a shell. */
export const shell = (script: string, more: Partial<MemberLaunch> = {}): MemberLaunch => ({ ...anyLaunch, argv: ['/bin/sh', '-c', script], ...more });
