/**
 * One small fleet with its faults: real operations on a real database, machines and messages of the test. Every step is
 * plain data that means something in any state, so that a failing run can be shortened.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { sql } from 'kysely';
import { takeBackup } from '#services/backup/backup.ts';
import { loadRows } from '#services/backup/load.ts';
import type { Manifest } from '#services/backup/model.ts';
import { beginNewLife } from '#services/backup/new-life.ts';
import { isFrozen, sweepRestore } from '#services/backup/thaw.ts';
import { parseBeat } from '#services/fleet/beat-schema.ts';
import { receiveBeat } from '#services/fleet/beat.ts';
import { confirmTerminated } from '#services/fleet/confirm-terminated.ts';
import type { Answer, Beat, BeatRefusal } from '#services/fleet/model.ts';
import { noteIngestUp, sweepLostJobs, sweepSilentNodes } from '#services/fleet/silence.ts';
import { endJob } from '#services/jobs/end.ts';
import { fenceJob } from '#services/jobs/fence.ts';
import { isEnded, type JobState, type Outcome, type SupervisionView } from '#services/jobs/model.ts';
import { withDefaults } from '#services/jobs/spec.ts';
import { succeedJob } from '#services/jobs/succeed.ts';
import { readSupervision } from '#services/jobs/supervise.ts';
import { sweepFenceCordons, sweepTickets } from '#services/jobs/sweeps.ts';
import { vacateJob } from '#services/jobs/vacate.ts';
import type { Config } from '#services/platform/config.ts';
import type { Log } from '#services/platform/log.ts';
import { inTransaction, type Db } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';
import { decide } from '#workflows/jobs/decide.ts';
import { Machine, type Process } from './agent.ts';
import { Laws } from './laws.ts';
import { Schedulers, type Holder } from './scheduling.ts';
import { cancelAny } from '#test/setup/cancel.ts';
import { passTime } from '#test/setup/time.ts';
import type { World as Stack } from '#test/setup/world.ts';

export interface Shape {
  /** devices of each node */
  readonly nodes: readonly number[];
  readonly jobs: readonly { readonly members: number; readonly exclusive: boolean; readonly timeLimit: boolean }[];
}

export const stepKinds = [
  'tick', 'heartbeat', 'sendBeat', 'takeBeat', 'repeatBeat', 'loseBeat', 'takeAnswer', 'repeatAnswer', 'loseAnswer',
  'ready', 'exit', 'fail', 'vanish', 'stick', 'refuse', 'obey', 'killAgent', 'startAgent', 'losePower', 'boot', 'partition', 'heal', 'bury', 'prove',
  'ingestDown', 'ingestUp', 'sweep', 'sweepTickets', 'sweepCordons',
  'read', 'act', 'supervise', 'place', 'plan', 'commit', 'take', 'cancel', 'drain', 'cordon',
] as const;
/** only where a test asks for them */
export const restoreKinds = ['backup', 'restore', 'thaw'] as const;
export type StepKind = (typeof stepKinds)[number] | (typeof restoreKinds)[number];
export interface Step { readonly kind: StepKind; readonly which: number; readonly more: number }

type Parts = Pick<Stack, 'db' | 'owner' | 'env' | 'config' | 'log'>;
interface Message { readonly beat: Beat; readonly answer?: Answer | BeatRefusal }

const messagesMax = 4;
const backupsMax = 2;
const graceSeconds = 100;

export class World {
  readonly #db: Db;
  readonly #owner: Db;
  readonly #ownerUrl: string;
  readonly #config: Config;
  readonly #log: Log;
  readonly #tickMs: number;
  readonly machines: Machine[] = [];
  readonly processes: Process[] = [];
  readonly #jobs: string[] = [];
  readonly #beats: Message[] = [];
  readonly #answers: Message[] = [];
  readonly #views = new Map<string, SupervisionView>();
  readonly #laws = new Laws();
  readonly schedulers: Schedulers;
  readonly log: string[] = [];
  readonly met = new Set<string>();
  #faults: string[] = [];
  #nowMs = 0;
  #isIngestUp = true;
  #downSinceMs = 0;
  /** when a beat last found no ingest; an outage that is shorter than what counts as a gap is a lost message like any other */
  readonly #refusedMs = new Map<string, number>();

  readonly #backups: { readonly folder: string; readonly manifest: Manifest }[] = [];

  private constructor({ db, owner, env, config, log }: Parts) {
    [this.#db, this.#owner, this.#ownerUrl, this.#config, this.#log] = [db, owner, env['MUSTER_DATABASE_OWNER_URL'] ?? '', config, log];
    this.#tickMs = config.leaseTtlMs / 3; // shorter than what counts as a gap of the ingest
    this.schedulers = new Schedulers(db);
  }

  static async open(parts: Parts, shape: Shape): Promise<World> {
    const { db, owner } = parts;
    const world = new World(parts);
    await sql`update cluster set frozen_at = null, runs_told = true`.execute(owner);
    await sql`truncate ticket_row, ticket_victim, allocation, ticket, member, attempt, checkpoint_pointer, checkpoint, job, device, node_boot, node_credential, node, outbox`.execute(owner);
    await sql`update ingest_heartbeat set up_since = clock_timestamp(), beat_at = clock_timestamp()`.execute(db);
    for (const [n, devices] of shape.nodes.entries()) await world.#addNode(`node-${n}`, devices);
    for (const job of shape.jobs) await world.#addJob(job);
    await world.schedulers.take('s0');
    for (const machine of world.machines) await world.#heartbeats(machine, 2);
    return world;
  }

  async #addNode(id: string, devices: number): Promise<void> {
    await this.#db.insertInto('node').values({ id }).execute();
    await this.#db.insertInto('node_credential').values({ node_id: id, secret_sha256: Buffer.alloc(32) }).execute();
    this.machines.push(new Machine(id, {
      agentVersion: '1', hostname: id, address: '127.0.0.1', cpuMilli: 1_000, memoryBytes: '1000', topology: {}, labels: {}, checkpointReach: 'shared',
      devices: Array.from({ length: devices }, (_, index) => ({ index, model: 'virtual', uuid: `${id}-${index}`, memoryBytes: '1', health: 'ok' as const })),
    }, this.processes));
  }

  async #addJob({ members, exclusive, timeLimit }: Shape['jobs'][number]): Promise<void> {
    const spec = withDefaults({
      name: 'digits', argv: ['true'], members, devicesPerMember: 1, cpuMilli: 10, memoryBytes: '10', exclusive, checkpoint: { graceSeconds },
      retry: { userFailures: 2, infrastructureFailures: 1_000, backoffSeconds: 1 }, ...(timeLimit ? { timeLimitSeconds: (4 * this.#tickMs) / 1_000 } : {}),
    });
    const id = newId('job');
    await this.#db.insertInto('job').values({
      id, team_id: 'team_00000000000000000000000000', name: spec.name, spec: JSON.stringify(spec), state: 'QUEUED', members, priority: 500, preemptible: false, exclusive,
    }).execute();
    this.#jobs.push(id);
  }

  /** @returns the laws that the step broke */
  async step(step: Step): Promise<string[]> {
    const what = await this.#do(step);
    if (what === undefined) return [];
    this.log.push(`t${this.#nowMs / this.#tickMs} ${step.kind} ${what}`);
    return this.#look();
  }

  async #look(): Promise<string[]> {
    return [...this.#faults, ...await this.#laws.faults(this.#db, this.machines, this.processes)];
  }

  /** @returns what was done, undefined where there was nothing to do */
  async #do({ kind, which, more }: Step): Promise<string | undefined> {
    const pick = <T>(all: readonly T[]): T | undefined => all[which % (all.length || 1)];
    const machine = pick(this.machines)!;
    const job = pick(this.#jobs)!;
    const living = pick(this.processes.filter((process) => process.isAlive));
    const holder: Holder = more % 2 === 0 ? 's0' : 's1';
    switch (kind) {
      case 'tick': return this.#tick();
      case 'heartbeat': return machine.canSpeak ? this.#heartbeats(machine, 1) : undefined;
      case 'sendBeat': return machine.canSpeak && this.#beats.length < messagesMax ? this.#send(machine) : undefined;
      case 'takeBeat':
      case 'repeatBeat': return this.#deliverBeat(pick(this.#beats), kind === 'repeatBeat');
      case 'loseBeat': return drop(this.#beats, pick(this.#beats));
      case 'takeAnswer':
      case 'repeatAnswer': return this.#deliverAnswer(pick(this.#answers), kind === 'repeatAnswer');
      case 'loseAnswer': return drop(this.#answers, pick(this.#answers));
      case 'ready': return living && !living.isReady ? change(living, { isReady: true }) : undefined;
      case 'exit': return living && this.#end(living, 0);
      case 'fail': return living && !living.isStuck && more % 3 === 0 ? this.#end(living, 1) : undefined;
      case 'vanish': return living && !living.isStuck && more % 3 === 0 ? this.#end(living, 137, false) : undefined;
      case 'stick': return living && !living.isExclusive && more % 4 === 0 ? change(living, { isStuck: true }) : undefined;
      case 'refuse': return living && !living.isReady && more % 3 === 0 && this.#machineOf(living).isAgentUp ? this.#refuse(living) : undefined;
      case 'obey': return living?.isStopped && !living.isStuck ? this.#end(living, 143) : undefined;
      case 'killAgent': return machine.isAgentUp ? (machine.killAgent(), machine.node) : undefined;
      case 'startAgent': return machine.isPowered && !machine.isAgentUp ? (machine.startAgent(), machine.node) : undefined;
      case 'losePower': return machine.isPowered ? (machine.losePower(), machine.node) : undefined;
      case 'boot': return !machine.isPowered && !machine.isBuried ? (machine.boot(more % 2 === 0), machine.bootId) : undefined;
      case 'partition': return change(machine, { isPartitioned: true });
      case 'heal': return change(machine, { isPartitioned: false });
      case 'bury': return !machine.isPowered && !this.machines.some((each) => each.isBuried) ? change(machine, { isBuried: true }) : undefined;
      case 'prove': return machine.isPowered ? undefined : this.#prove(machine);
      case 'ingestDown': return this.#isIngestUp ? this.#setIngest(false) : undefined;
      case 'ingestUp': return this.#isIngestUp ? undefined : this.#setIngest(true);
      case 'sweep': return this.#sweep();
      case 'sweepTickets': return (await isFrozen(this.#db)) ? undefined : String(await sweepTickets(this.#db));
      case 'sweepCordons': return (await isFrozen(this.#db)) ? undefined : String(await sweepFenceCordons(this.#db));
      case 'backup': return this.#backups.length < backupsMax ? this.#backup() : undefined;
      case 'restore': return this.#backups.length > 0 ? this.#restore(this.#backups[which % this.#backups.length]!) : undefined;
      case 'thaw': return this.#thaw();
      case 'read': return this.#read(job);
      case 'act': return this.#act(job);
      case 'supervise': return this.#supervise(job);
      case 'place': return String(await this.schedulers.place(job, more));
      case 'plan': return (await this.schedulers.plan(holder, job, more)) ? holder : undefined;
      case 'commit': return `${holder} ${await this.schedulers.commit(holder)}`;
      case 'take': await this.schedulers.take(holder); return holder;
      case 'cancel': return more % 6 === 0 ? this.#cancel(job) : undefined;
      case 'drain': return more % 3 === 0 ? this.#drain(job) : undefined;
      case 'cordon': return this.#cordon(machine, more % 2 === 0);
    }
  }

  async #tick(): Promise<string> {
    this.#nowMs += this.#tickMs;
    await passTime(this.#db, this.#tickMs);
    if (this.#isIngestUp) await noteIngestUp(this.#db, this.#config);
    for (const process of this.processes) { // P20: the wrapper enforces the lease, whatever became of the agent
      if (process.isAlive && process.isExclusive && this.#nowMs > process.leaseUntilMs + graceSeconds * 1_000) this.#end(process, 137);
    }
    return '';
  }

  #machineOf(process: Process): Machine { return this.machines.find((machine) => machine.node === process.node)!; }

  #end(process: Process, exitCode: number, writesExit = true): string {
    this.#machineOf(process).end(process, exitCode, writesExit);
    return `${process.key} ${writesExit ? exitCode : 'without a trace'}`;
  }

  #refuse(process: Process): string {
    this.#machineOf(process).refuse(process);
    return process.key;
  }

  async #ingest(beat: Beat): Promise<Answer | BeatRefusal | undefined> {
    if (!this.#isIngestUp) {
      this.#refusedMs.set(beat.node, this.#nowMs);
      return undefined;
    }
    const parsed = parseBeat(beat);
    if (typeof parsed === 'string') throw new Error(`the test's agent sent no beat: ${parsed}`);
    const answer = await receiveBeat(this.#db, parsed, this.#config);
    if ('refused' in answer) this.met.add(`beat ${answer.refused}`);
    return answer;
  }

  async #heartbeats(machine: Machine, times: number): Promise<string> {
    for (let n = 0; n < times; n++) {
      const beat = machine.beat(this.#nowMs);
      const answer = await this.#ingest(beat);
      if (answer) machine.apply(beat, answer, this.#nowMs);
    }
    return machine.node;
  }

  #send(machine: Machine): string {
    this.#beats.push({ beat: machine.beat(this.#nowMs) });
    return machine.node;
  }

  async #deliverBeat(message: Message | undefined, again: boolean): Promise<string | undefined> {
    if (!message) return undefined;
    if (!again) drop(this.#beats, message);
    const answer = await this.#ingest(message.beat);
    if (answer && this.#answers.length < messagesMax) this.#answers.push({ beat: message.beat, answer });
    return `${message.beat.node} session ${message.beat.session} sequence ${message.beat.sequence}: ${answer ? 'refused' in answer ? answer.refused : 'taken' : 'no ingest'}`;
  }

  #deliverAnswer(message: Message | undefined, again: boolean): string | undefined {
    if (!message?.answer) return undefined;
    if (!again) drop(this.#answers, message);
    this.machines.find((machine) => machine.node === message.beat.node)!.apply(message.beat, message.answer, this.#nowMs);
    return message.beat.node;
  }

  async #setIngest(up: boolean): Promise<string> {
    this.#isIngestUp = up;
    if (!up) this.#downSinceMs = this.#nowMs;
    else if (!this.#isOutageAGap()) this.#refusedMs.clear();
    if (up) await noteIngestUp(this.#db, this.#config);
    return '';
  }

  #isOutageAGap(): boolean { return this.#nowMs - this.#downSinceMs > this.#config.leaseTtlMs / 2; }

  /** The provider's word, given only where it is true. A node whose boot was never heard has nothing to prove. */
  async #prove(machine: Machine): Promise<string | undefined> {
    const row = await this.#db.selectFrom('node').select('boot_id').where('id', '=', machine.node).executeTakeFirstOrThrow();
    if (row.boot_id !== machine.bootId) return undefined;
    await inTransaction(this.#db, (tx) => confirmTerminated(tx, { node: machine.node, bootId: machine.bootId, proof: 'the provider says so' }, this.#config));
    return machine.bootId;
  }

  async #backup(): Promise<string> {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'muster-world-')), 'backup');
    this.#backups.push({ folder, manifest: await takeBackup({ databaseUrl: this.#ownerUrl, folder }) });
    return `${this.#backups.length}`;
  }

  /** Into the same schema: what is under way on machines and in messages goes on meanwhile. */
  async #restore({ folder, manifest }: { readonly folder: string; readonly manifest: Manifest }): Promise<string> {
    const { incarnation } = await this.#db.selectFrom('cluster').select('incarnation').executeTakeFirstOrThrow();
    const client = new pg.Client({ connectionString: this.#ownerUrl });
    await client.connect();
    try {
      await loadRows(client, folder, manifest, incarnation + 1);
    } finally {
      await client.end();
    }
    await inTransaction(this.#owner, (tx) => beginNewLife(tx, incarnation + 1, this.#config));
    this.#laws.restored();
    this.#refusedMs.clear();
    this.met.add('restore');
    return `incarnation ${incarnation + 1}`;
  }

  async #thaw(): Promise<string | undefined> {
    const found = await sweepRestore(this.#db, this.#config, this.#log);
    if (found === 0) return undefined;
    this.met.add('thaw');
    if (await this.#db.selectFrom('job').select('id').where('detail', 'like', 'taken over%').limit(1).executeTakeFirst()) this.met.add('taken over');
    await this.schedulers.take('s0');
    return String(found);
  }

  close(): void {
    for (const { folder } of this.#backups) rmSync(path.dirname(folder), { recursive: true, force: true });
  }

  async #sweep(): Promise<string | undefined> {
    if (await isFrozen(this.#db)) return undefined;
    const silent = await sweepSilentNodes(this.#db, this.#config);
    if (silent > 0 && await this.#isGap()) this.#faults.push('P16: a node became UNKNOWN during a gap of the ingest');
    return `${silent} silent, ${await sweepLostJobs(this.#db)} jobs`;
  }

  async #isGap(): Promise<boolean> {
    const { rows } = await sql<{ gap: boolean }>`select beat_at < clock_timestamp() - make_interval(secs => ${this.#config.leaseTtlMs / 2_000}::double precision) as gap from ingest_heartbeat`.execute(this.#db);
    return rows[0]!.gap;
  }

  async #read(jobId: string): Promise<string> {
    const view = (await readSupervision(this.#db, jobId, this.#config))!;
    this.#views.set(jobId, view);
    return `${view.state} v${view.version}: ${decide(view).kind}`;
  }

  /** The decision on whatever view was read, new or old; the view stays, so an activity may run again at any later time. */
  async #act(jobId: string): Promise<string | undefined> {
    const view = this.#views.get(jobId);
    if (!view) return undefined;
    const { jobId: id, epoch, version, incarnation } = view;
    const decided = { jobId: id, epoch, version, incarnation };
    const step = decide(view);
    if (step.kind === 'wait' || step.kind === 'done') return undefined;
    const before = step.kind === 'fence' ? await this.#fenceWitness(jobId) : undefined;
    const outcome = await inTransaction(this.#db, (tx): Promise<Outcome> => {
      switch (step.kind) {
        case 'vacate': return vacateJob(tx, { ...decided, event: step.event, reason: step.reason }, this.#config);
        case 'succeed': return succeedJob(tx, decided);
        case 'fence': return fenceJob(tx, decided, this.#config);
        case 'end': return endJob(tx, decided, this.#config);
      }
    });
    if (before !== undefined && outcome.kind === 'applied') this.#faults.push(before);
    this.met.add(`${step.kind} ${outcome.kind}`);
    if (step.kind === 'vacate' && outcome.kind === 'applied') this.met.add(`vacate ${step.reason}`);
    return `${step.kind} ${outcome.kind}`;
  }

  /** Law 6 and P16: what would make a fence wrong, on the world itself. */
  async #fenceWitness(jobId: string): Promise<string | undefined> {
    const silent = await this.#db.selectFrom('member').innerJoin('job', (on) => on.onRef('job.id', '=', 'member.job_id').onRef('job.epoch', '=', 'member.epoch'))
      .innerJoin('node', 'node.id', 'member.node_id').select('node.id').where('job.id', '=', jobId).where('gone_at', 'is', null).where('node.state', '<>', 'LIVE').execute();
    if (silent.length === 0) return `law 6: ${jobId} fenced as lost, though each member that is not gone is on a heard node`;
    const ms = this.#config.leaseTtlMs + this.#config.leaseDriftMs;
    if (!this.#isIngestUp && !this.#isOutageAGap()) return undefined;
    const excused = silent.filter(({ id }) => this.#nowMs - (this.#refusedMs.get(id) ?? -Infinity) < ms);
    return excused.length === silent.length ? `law 6: ${jobId} fenced as lost, though ${excused.map(({ id }) => id).join()} spoke while the ingest was away` : undefined;
  }

  async #supervise(jobId: string): Promise<string> {
    const told: string[] = [];
    for (let n = 0; n < 4; n++) {
      told.push(await this.#read(jobId));
      const acted = await this.#act(jobId);
      if (acted === undefined) break;
      told.push(acted);
    }
    return told.join(', ');
  }

  async #stateOf(jobId: string): Promise<JobState> {
    return (await this.#db.selectFrom('job').select('state').where('id', '=', jobId).executeTakeFirstOrThrow()).state as JobState;
  }

  async #cancel(jobId: string): Promise<string | undefined> {
    if (isEnded(await this.#stateOf(jobId))) return undefined;
    return (await cancelAny(this.#db, jobId, this.#config)).state;
  }

  async #drain(jobId: string): Promise<string | undefined> {
    const view = (await readSupervision(this.#db, jobId, this.#config))!;
    const { epoch, version, incarnation } = view;
    return (await inTransaction(this.#db, (tx) => vacateJob(tx, { jobId, epoch, version, incarnation, event: 'drained', reason: 'drain' }, this.#config))).kind;
  }

  async #cordon(machine: Machine, on: boolean): Promise<string> {
    await this.#db.updateTable('node').set({ cordoned_by_operator: on, version: sql<bigint>`version + 1` }).where('id', '=', machine.node).execute();
    return `${machine.node} ${on}`;
  }

  /** The faults stop and time passes: everything must come to an end, with nothing left over. @returns what did not */
  async settle(): Promise<string[]> {
    this.log.push('the faults stop');
    await this.#mend();
    for (let round = 0; round < 60; round++) {
      const faults = await this.#quietRound(round);
      if (faults.length > 0) return faults;
      const leftovers = await this.#leftovers();
      if (leftovers.length === 0) return [];
      if (round === 59) return leftovers;
    }
    return [];
  }

  async #mend(): Promise<void> {
    if (!this.#isIngestUp) await this.#setIngest(true);
    while (this.#beats.length > 0) await this.#deliverBeat(this.#beats[0], false);
    while (this.#answers.length > 0) this.#deliverAnswer(this.#answers[0], false);
    for (const job of this.#jobs) await this.#act(job);
    for (const machine of this.machines) {
      machine.isPartitioned = false;
      await this.#cordon(machine, false);
      if (machine.isBuried) await this.#buryForGood(machine);
      else if (!machine.isPowered) machine.boot();
      else if (!machine.isAgentUp) machine.startAgent();
    }
  }

  /** A machine that never comes back is proven over, and a new one takes its name: otherwise a gang might lack devices for ever. */
  async #buryForGood(machine: Machine): Promise<void> {
    await this.#prove(machine);
    machine.boot(false);
  }

  async #quietRound(round: number): Promise<string[]> {
    await this.#tick();
    for (const machine of this.machines) await this.#heartbeats(machine, 2);
    for (const process of this.processes.filter((each) => each.isAlive)) {
      process.ageRounds++;
      if (process.isStuck && process.ageRounds < 25) continue; // long enough to be fenced, then it goes after all
      if (process.isStopped) this.#end(process, 143);
      else if (!process.isReady) process.isReady = true;
      else if (process.ageRounds > 2) this.#end(process, 0);
    }
    for (const machine of this.machines) await this.#heartbeats(machine, 1);
    await this.#thaw();
    await this.#sweep();
    if (!await isFrozen(this.#db)) {
      await sweepTickets(this.#db);
      await sweepFenceCordons(this.#db);
    }
    for (const job of this.#jobs) {
      this.log.push(`round ${round} ${job} ${await this.#supervise(job)}`);
      if ((await this.#stateOf(job)) === 'QUEUED') await this.schedulers.place(job);
    }
    return this.#look();
  }

  async #leftovers(): Promise<string[]> {
    const { rows } = await sql<{ what: string }>`
      select 'job ' || id || ' stays ' || state || coalesce(' ' || vacate_reason, '') as what from job where state not in ('SUCCEEDED', 'FAILED', 'CANCELLED')
      union all select 'a row of ' || job_id || ' on ' || node_id || ' stays ' || held_by || ' ' || state from allocation
      union all select 'ticket ' || id || ' stays open' from ticket where state = 'OPEN'
      union all select 'node ' || id || ' stays ' || state || ' cordoned ' || cordoned_by_fence || ' strays ' || stray_members from node where not schedulable
      union all select 'device ' || node_id || '/' || idx || ' stays used' from device where used_milli > 0
      union all select 'node ' || id || ' keeps cpu' from node where cpu_used_milli > 0`.execute(this.#db);
    const exits = await this.#lostExits();
    return [...rows.map((row) => row.what), ...this.processes.filter((each) => each.isAlive).map((each) => `${each.key} lives for ever`), ...exits];
  }

  /** An exit code that the wrapper wrote is the one that the row has, unless the machine's end was the first news. */
  async #lostExits(): Promise<string[]> {
    const rows = await this.#db.selectFrom('member').select(['job_id', 'epoch', 'rank', 'gone_kind', 'exit_code']).where('gone_kind', '=', 'exited').execute();
    return rows.flatMap((row) => {
      const process = this.processes.find((each) => each.key === `${row.job_id} ${row.epoch} ${row.rank}`);
      return process && process.exitCode !== row.exit_code ? [`${process.key} exited ${process.exitCode}, recorded as ${row.exit_code}`] : [];
    });
  }
}

function drop(messages: Message[], message: Message | undefined): string | undefined {
  if (!message) return undefined;
  messages.splice(messages.indexOf(message), 1);
  return message.beat.node;
}

function change<T extends object>(object: T, values: Partial<T>): string {
  Object.assign(object, values);
  return `${'key' in object ? String(object.key) : (object as unknown as Machine).node} ${Object.entries(values).map(([name, value]) => `${name} ${String(value)}`).join()}`;
}
