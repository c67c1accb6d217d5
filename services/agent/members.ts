/** All members of a node: follows answers, advances each member, says what a beat carries (P5–P8). */
import { mkdirSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import type { Answer, MemberKey, MemberObservation, RunItem, StopItem } from '#services/fleet/model.ts';
import type { Log } from '#services/platform/log.ts';
import { closeControl, openControl } from './control.ts';
import { controlledMember, type ControlSite } from './controlled-member.ts';
import { isRefusal, planStart, refuseFor, spawnWrapper, type Plan, type Site } from './launch.ts';
import { LogTail, type PublishLog } from './logs.ts';
import { Member } from './member.ts';
import { isMemberKey, keyText, listMemberFolders, MemberFolder, type Outcome } from './member-folder.ts';
import { orderStop } from './stop.ts';
import { supervise } from './supervise.ts';

export interface MembersDeps {
  readonly root: string;
  readonly site: Site;
  readonly control: ControlSite;
  readonly publishLog: PublishLog;
  readonly superviseMs: number;
  readonly supersededGraceMs: number;
  readonly membersMax: number;
  readonly logChunkBytesMax: number;
  readonly log: Log;
}

type StartItem = Extract<RunItem, { order: 'start' }>;
/** between a notice of the file system and the look: the wrapper renames two files in a row */
const settleMs = 2;
/** logs are not facts: a store that is away for longer doesn't fill the node's disk */
const unsentLogsKeptMs = 24 * 3_600_000;
/** while leftovers of a member are being killed */
const hurryMs = 20;

export class Members {
  readonly #deps: MembersDeps;
  readonly #known = new Map<string, Member>();
  readonly #watchers = new Map<Member, FSWatcher>();
  readonly #soon = new Map<Member, NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: MembersDeps) { this.#deps = deps; }

  /** Takes over what an earlier agent of this node left: running members, exits not yet acknowledged, unsent logs. */
  async adopt(): Promise<void> {
    mkdirSync(this.#deps.root, { recursive: true, mode: 0o700 });
    for (const folder of listMemberFolders(this.#deps.root)) {
      const member = new Member(folder);
      // A folder without a record: the agent ended before the start was decided, so nothing was started.
      if (!member.record && !member.outcome) folder.remove();
      else await this.#resume(member);
    }
    this.#timer = setInterval(() => this.#tick(), this.#deps.superviseMs);
  }

  /** What a beat says: every member the agent knows, listed by the control plane or not. */
  observe(): MemberObservation[] {
    return [...this.#known.values()].map((member) => member.observe(this.#deps.site.address)).filter((each) => each !== undefined);
  }

  /** Members that run or are about to. */
  active(): MemberKey[] { return [...this.#known.values()].filter((member) => member.isActive).map((member) => member.key); }

  /** Follows an answer that P3 let through. A member that no list names is left alone. */
  apply(answer: Pick<Answer, 'run' | 'stop' | 'ack'>): void {
    for (const item of answer.stop) this.#follow(item, () => this.#stop(item));
    for (const item of answer.run) this.#follow(item, () => this.#run(item));
    for (const key of answer.ack) this.#follow(key, () => this.#acknowledge(key));
  }

  /** For an agent that takes its members with it. */
  async stopAll(graceMs: number): Promise<void> {
    for (const member of this.#known.values()) if (member.isActive) this.#order(member, 'agentExit', graceMs);
    while (this.active().length > 0) {
      for (const member of this.#known.values()) this.#supervise(member);
      await new Promise((resolve) => { setTimeout(resolve, hurryMs); });
    }
  }

  /** Leaves the members running. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const timer of this.#soon.values()) clearTimeout(timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    for (const member of this.#known.values()) if (member.control) closeControl(member.control);
  }

  /** One bad item never stops the others. */
  #follow(key: MemberKey, act: () => void): void {
    if (!isMemberKey(key)) return this.#deps.log.error({ job: key.job, epoch: key.epoch, rank: key.rank }, 'a member with an impossible key is not followed');
    try {
      act();
    } catch (error) {
      this.#deps.log.error({ err: error, member: keyText(key) }, 'an order was not followed; the next answer repeats it');
    }
  }

  #stop(item: StopItem): void {
    const member = this.#known.get(keyText(item));
    if (!member) this.#bury(item); // P7
    else if (member.isActive) this.#order(member, item.reason, item.graceMs);
  }

  #run(item: RunItem): void {
    let isBlocked = false;
    for (const member of this.#known.values()) {
      if (!member.isActive || member.key.job !== item.job || BigInt(member.key.epoch) >= BigInt(item.epoch)) continue;
      this.#order(member, 'superseded', this.#deps.supersededGraceMs);
      isBlocked = true;
    }
    const known = this.#known.get(keyText(item));
    if (known) known.isAcknowledged = false; // the control plane asks about it again: after a restore it may have forgotten
    else if (item.order === 'keep') this.#bury(item); // P5
    else if (!isBlocked && this.#mayStart(item)) void this.#start(item);
  }

  #mayStart(item: StartItem): boolean {
    const isMasterKnown = item.rank === 0 || item.launch.master !== null;
    return isMasterKnown && !this.#isClosed && this.active().length < this.#deps.membersMax;
  }

  #order(member: Member, reason: string, graceMs: number): void {
    orderStop(member, reason, graceMs);
    this.#superviseSoon(member, graceMs);
  }

  async #start(item: StartItem): Promise<void> {
    const member = new Member(new MemberFolder(this.#deps.root, item));
    this.#known.set(keyText(item), member);
    try {
      const plan = await planStart(this.#deps.site, member.folder, item.launch, this.#portsTaken());
      if (this.#isClosed) return;
      if (member.isCancelled) this.#end(member, { state: 'gone' });
      else if (isRefusal(plan)) this.#end(member, plan);
      else await this.#spawn(member, plan);
    } catch (error) {
      this.#end(member, refuseFor(error));
    }
  }

  async #spawn(member: Member, { record, spawn, secrets }: Plan): Promise<void> {
    member.control = await openControl(record.controlPath, controlledMember(member, this.#deps.control));
    member.folder.recordStart(record, spawn);
    member.record = record;
    member.spawnedMs = performance.now();
    this.#followFiles(member);
    const started = spawnWrapper(member.folder, secrets);
    this.#deps.control.changed();
    const error = await started;
    if (error) this.#end(member, refuseFor(error));
  }

  async #resume(member: Member): Promise<void> {
    this.#known.set(keyText(member.key), member);
    if (member.outcome || !member.record) return this.#followLogs(member);
    try {
      member.control = await openControl(member.record.controlPath, controlledMember(member, this.#deps.control));
    } catch (error) {
      this.#deps.log.error({ err: error, member: keyText(member.key) }, 'the control socket can’t be opened; the member runs on without it');
    }
    this.#followFiles(member);
    this.#supervise(member);
  }

  #followFiles(member: Member): void {
    this.#followLogs(member);
    try {
      const watcher = watch(member.folder.path, (_event, name) => {
        if (name === 'pid.json' || name === 'exit.json') this.#superviseSoon(member, settleMs);
      });
      watcher.on('error', () => undefined); // the timer looks too
      this.#watchers.set(member, watcher);
    } catch {
      // No more watches on this machine: the timer looks too.
    }
  }

  #followLogs(member: Member): void {
    const { record, folder } = member;
    if (!record) return;
    const bytesMax = Number(record.logBytesMax);
    member.logs = new LogTail(folder, { bytesMax, chunkBytesMax: this.#deps.logChunkBytesMax }, this.#deps.publishLog);
  }

  #tick(): void {
    for (const member of this.#known.values()) {
      this.#supervise(member);
      if (member.isActive) void member.logs?.pump(false);
      else void this.#finishLogs(member);
    }
  }

  #superviseSoon(member: Member, afterMs: number): void {
    clearTimeout(this.#soon.get(member));
    this.#soon.set(member, setTimeout(() => {
      this.#soon.delete(member);
      this.#supervise(member);
    }, Math.min(afterMs, this.#deps.superviseMs)));
  }

  #supervise(member: Member): void {
    if (this.#isClosed) return;
    try {
      const progress = supervise(member, this.#deps.site);
      if (progress === 'over') this.#settle(member);
      if (progress !== 'unchanged') this.#deps.control.changed();
      else if (member.isActive && member.folder.exit()) this.#superviseSoon(member, member.stop ? this.#deps.superviseMs : hurryMs);
    } catch (error) {
      this.#deps.log.error({ err: error, member: keyText(member.key) }, 'a member could not be looked after; tried again');
    }
  }

  /** Records an end that no process stands behind. A full disk keeps it in memory only: then a restart asks anew. */
  #end(member: Member, outcome: Outcome): void {
    try {
      member.folder.recordOutcome(outcome);
    } catch (error) {
      this.#deps.log.error({ err: error, member: keyText(member.key) }, 'an outcome is not durable');
    }
    member.outcome = outcome;
    this.#settle(member);
    this.#deps.control.changed();
  }

  /** A tombstone: it reports gone, and blocks a start that comes late (P5, P7). */
  #bury(key: MemberKey): void {
    const member = new Member(new MemberFolder(this.#deps.root, key));
    this.#known.set(keyText(key), member);
    this.#end(member, { state: 'gone' });
  }

  #settle(member: Member): void {
    if (member.control) closeControl(member.control);
    member.control = undefined;
    this.#watchers.get(member)?.close();
    this.#watchers.delete(member);
    void this.#finishLogs(member);
    this.#deps.log.info({ member: keyText(member.key), ...member.outcome }, 'member is over');
  }

  #acknowledge(key: MemberKey): void {
    const member = this.#known.get(keyText(key));
    if (!member || member.isActive || member.isAcknowledged) return;
    member.folder.recordAcknowledgement();
    member.isAcknowledged = true;
    void this.#finishLogs(member);
  }

  /** Forgets a member that was acknowledged, once its output is stored. */
  async #finishLogs(member: Member): Promise<void> {
    const isSent = member.logs === undefined || await member.logs.pump(true);
    const isStale = Date.now() - (member.folder.acknowledgedAtMs() ?? Date.now()) > unsentLogsKeptMs;
    if (!(isSent || isStale) || !member.isAcknowledged || this.#isClosed) return;
    if (this.#known.get(keyText(member.key)) === member) this.#known.delete(keyText(member.key));
    member.folder.remove();
  }

  #portsTaken(): Set<number> {
    return new Set([...this.#known.values()].flatMap(({ isActive, record }) => isActive && record ? [record.port] : []));
  }
}

export const membersRoot = (dataDir: string): string => path.join(dataDir, 'members');
