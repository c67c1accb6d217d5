/** Nodes that speak through the real ingest, gangs placed by the real commit, runs decided by the real rule; time is moved, not waited for. */
import { sql } from 'kysely';
import { parseBeat } from '#services/fleet/beat-schema.ts';
import { receiveBeat } from '#services/fleet/beat.ts';
import type { Answer, Beat, BeatRefusal, MemberKey, MemberObservation, NodeFacts } from '#services/fleet/model.ts';
import { sweepLostJobs, sweepSilentNodes } from '#services/fleet/silence.ts';
import { endJob } from '#services/jobs/end.ts';
import { fenceJob } from '#services/jobs/fence.ts';
import { priorityOf, type Decided, type Outcome, type VacateReason, type JobEvent, type SupervisionView } from '#services/jobs/model.ts';
import { withDefaults, type JobSpec } from '#services/jobs/spec.ts';
import type { JobRow, MemberRow } from '#services/jobs/store.ts';
import { succeedJob } from '#services/jobs/succeed.ts';
import { readSupervision } from '#services/jobs/supervise.ts';
import { vacateJob } from '#services/jobs/vacate.ts';
import { inTransaction } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';
import { commitPlacements } from '#services/scheduler/commit.ts';
import type { Verdict } from '#services/scheduler/model.ts';
import { readPending } from '#services/scheduler/store.ts';
import { decide } from '#workflows/jobs/decide.ts';
import { passTime } from './time.ts';
import { openWorld, type World } from './world.ts';

export const ms = { lease: 60_000, drift: 10_000, start: 120_000, stuck: 30_000, lostGrace: 5_000, ticket: 100_000 } as const;
/** of every job here, unless its spec says otherwise */
export const graceSeconds = 20;

export const address = '10.0.0.1';
export const accepted = (key: MemberKey): MemberObservation => ({ ...key, state: 'accepted', address, port: 29_500, pid: 7, devices: [] });
export const ready = (key: MemberKey): MemberObservation => ({ ...key, state: 'ready', address, port: 29_500, pid: 7, devices: [] });
export const exited = (key: MemberKey, exitCode: number | null): MemberObservation => ({ ...key, state: 'exited', exitCode, signal: exitCode === null ? 'SIGTERM' : null });
export const gone = (key: MemberKey): MemberObservation => ({ ...key, state: 'gone' });
export const refused = (key: MemberKey): MemberObservation => ({ ...key, state: 'refused', code: 'spawn_failed', detail: 'the program is missing' });

export class Speaker {
  readonly id: string;
  readonly fleet: Fleet;
  bootId: string;
  session = '0';
  sequence = 0;

  constructor(fleet: Fleet, id: string) {
    this.fleet = fleet;
    this.id = id;
    this.bootId = `boot-${id}-1`;
  }

  compose(members: readonly MemberObservation[] = [], change: Partial<Beat> = {}): Beat {
    this.sequence += 1;
    return { node: this.id, clusterId: null, credentialVersion: 1, bootId: this.bootId, session: this.session, sequence: this.sequence, incarnation: 1, members, ...change };
  }

  async send(beat: unknown): Promise<Answer | BeatRefusal> {
    const parsed = parseBeat(beat);
    if (typeof parsed === 'string') return { refused: 'invalid', detail: parsed };
    return receiveBeat(this.fleet.world.db, parsed, this.fleet.world.config);
  }

  /** A current beat. @throws where it is refused */
  async beat(members: readonly MemberObservation[] = [], change: Partial<Beat> = {}): Promise<Answer> {
    const answer = await this.send(this.compose(members, change));
    if ('refused' in answer) throw new Error(`${this.id}: ${answer.refused}: ${answer.detail}`);
    return answer;
  }

  /** A new agent process: it asks for a session. */
  async hello(): Promise<void> {
    this.session = '0';
    this.sequence = 0;
    this.session = (await this.beat()).session;
  }

  async reboot(): Promise<void> {
    this.bootId = this.bootId.replace(/\d+$/, (n) => String(Number(n) + 1));
    await this.hello();
  }
}

export class Fleet {
  readonly world: World;
  #nodes = 0;
  #token = 0n;

  private constructor(world: World) { this.world = world; }

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const fleet = new Fleet(await openWorld({
      MUSTER_LEASE_TTL_MS: String(ms.lease), MUSTER_LEASE_DRIFT_MS: String(ms.drift), MUSTER_START_TIMEOUT_MS: String(ms.start),
      MUSTER_STUCK_GRACE_MS: String(ms.stuck), MUSTER_LOST_GRACE_MS: String(ms.lostGrace), MUSTER_TICKET_DEADLINE_MS: String(ms.ticket), ...settings,
    }));
    const { rows } = await sql<{ token: bigint }>`update leader set token = token + 1, holder = 'test' where name = 'scheduler' returning token`.execute(fleet.world.db);
    fleet.#token = rows[0]!.token;
    await sql`update ingest_heartbeat set up_since = clock_timestamp() - interval '1 day'`.execute(fleet.world.db);
    return fleet;
  }

  close(): Promise<void> { return this.world.close(); }

  /** Enrolled, heard once, and schedulable. */
  async node(devices = 4): Promise<Speaker> {
    const id = `n${++this.#nodes}`;
    await this.world.db.insertInto('node').values({ id }).execute();
    await this.world.db.insertInto('node_credential').values({ node_id: id, secret_sha256: Buffer.alloc(32) }).execute();
    const speaker = new Speaker(this, id);
    await speaker.hello();
    const facts: NodeFacts = {
      agentVersion: '1', hostname: id, address, cpuMilli: 64_000, memoryBytes: '1000000', topology: {}, labels: {}, checkpointReach: 'shared',
      devices: Array.from({ length: devices }, (_, index) => ({ index, model: 'virtual', uuid: `${id}-${index}`, memoryBytes: '1', health: 'ok' as const })),
    };
    await speaker.beat([], { facts });
    return speaker;
  }

  async job(spec: Partial<JobSpec> = {}): Promise<string> {
    const full = withDefaults({ name: 'digits', argv: ['true'], devicesPerMember: 1, checkpoint: { graceSeconds }, ...spec });
    const id = newId('job');
    await this.world.db.insertInto('job').values({
      id, team_id: 'team_00000000000000000000000000', name: full.name, spec: JSON.stringify(full), state: 'QUEUED', members: full.members,
      priority: priorityOf[full.priorityClass], preemptible: full.preemptible, exclusive: full.exclusive,
    }).execute();
    return id;
  }

  /** A member on each of `nodes`, on free devices or those that the job's ticket keeps, where there are enough. */
  async tryPlace(job: string, nodes: readonly Speaker[]): Promise<Verdict> {
    const [pending] = await readPending(this.world.db, [job]);
    if (!pending) throw new Error(`${job} does not wait`);
    const own = new Set(pending.job.ticket?.shares.flatMap((share) => share.devices.map((device) => `${share.nodeId}/${device.index}`)));
    const taken = new Set<string>();
    const members = [];
    for (const [rank, { id }] of nodes.entries()) {
      const devices = await this.world.db.selectFrom('device').select(['idx', 'used_milli']).where('node_id', '=', id).orderBy('idx').execute();
      const isFree = ({ idx, used_milli }: (typeof devices)[number]): boolean => !taken.has(`${id}/${idx}`) && (used_milli === 0 || own.has(`${id}/${idx}`));
      const chosen = devices.toSorted((a, b) => Number(isFree(b)) - Number(isFree(a))).slice(0, pending.job.shape.devicesPerMember).map((device) => device.idx);
      for (const idx of chosen) taken.add(`${id}/${idx}`);
      members.push({ rank, nodeId: id, localRank: 0, devices: chosen });
    }
    const { items } = await commitPlacements(this.world.db, {
      leadership: { name: 'scheduler', holder: 'test', token: this.#token }, incarnation: 1, membersMax: 200, items: [{ job: pending.job, members }],
    });
    return items.get(job)!.verdict;
  }

  async place(job: string, nodes: readonly Speaker[]): Promise<MemberKey[]> {
    const verdict = await this.tryPlace(job, nodes);
    if (verdict !== 'placed') throw new Error(`${job} was not placed: ${verdict}`);
    const { epoch } = await this.row(job);
    return nodes.map((_, rank) => ({ job, epoch: epoch.toString(), rank }));
  }

  /** A gang whose members all run, one a node. */
  async running(nodes: readonly Speaker[], spec: Partial<JobSpec> = {}): Promise<{ job: string; keys: MemberKey[] }> {
    const job = await this.job({ members: nodes.length, ...spec });
    const keys = await this.place(job, nodes);
    await this.start(nodes, keys);
    return { job, keys };
  }

  async start(nodes: readonly Speaker[], keys: readonly MemberKey[]): Promise<void> {
    for (const report of [undefined, accepted, ready]) {
      for (const [rank, node] of nodes.entries()) await node.beat(report ? [report(keys[rank]!)] : []);
    }
  }

  async row(job: string): Promise<JobRow> {
    return (await this.world.db.selectFrom('job').selectAll().where('id', '=', job).executeTakeFirstOrThrow()) as unknown as JobRow;
  }

  attempt(job: string, epoch?: string) {
    const query = this.world.db.selectFrom('attempt').selectAll().where('job_id', '=', job).orderBy('epoch', 'desc');
    return (epoch === undefined ? query : query.where('epoch', '=', BigInt(epoch))).limit(1).executeTakeFirstOrThrow();
  }

  member(key: MemberKey): Promise<MemberRow> {
    return this.world.db.selectFrom('member').selectAll().where('job_id', '=', key.job).where('epoch', '=', BigInt(key.epoch)).where('rank', '=', key.rank).executeTakeFirstOrThrow();
  }

  nodeRow(node: Speaker) { return this.world.db.selectFrom('node').selectAll().where('id', '=', node.id).executeTakeFirstOrThrow(); }

  /** Device rows of a job, e.g. "n1 held job". */
  async allocations(job: string): Promise<string[]> {
    const rows = await this.world.db.selectFrom('allocation').selectAll().where('job_id', '=', job).where('device_idx', '>=', 0).orderBy('node_id').execute();
    return rows.map((row) => `${row.node_id} ${row.state} ${row.held_by}`);
  }

  /** Every move that was told of a job, e.g. "RESERVED"; attention is told as "!". */
  async told(job: string): Promise<string[]> {
    const rows = await this.world.db.selectFrom('outbox').select(['kind', 'payload']).where('key', '=', `job/${job}`).orderBy('id').execute();
    return rows.map((row) => (row.kind === 'job.attention' ? '!' : (row.payload as { state: string }).state));
  }

  /** While the ingest is up. */
  async pass(lengthMs: number): Promise<void> {
    await passTime(this.world.db, lengthMs);
    await sql`update ingest_heartbeat set beat_at = clock_timestamp()`.execute(this.world.db);
  }

  /** While the ingest is away: nobody takes beats. */
  passWithoutIngest(lengthMs: number): Promise<void> { return passTime(this.world.db, lengthMs); }

  async sweepSilence(): Promise<void> {
    await sweepSilentNodes(this.world.db, this.world.config);
    await sweepLostJobs(this.world.db);
  }

  async view(job: string): Promise<SupervisionView> {
    return (await readSupervision(this.world.db, job, this.world.config))!;
  }

  async decided(job: string): Promise<Decided> {
    const { epoch, version, incarnation } = await this.view(job);
    return { jobId: job, epoch, version, incarnation };
  }

  async vacate(job: string, event: JobEvent, reason: VacateReason, on?: Decided): Promise<Outcome> {
    const decided = on ?? await this.decided(job);
    return inTransaction(this.world.db, (tx) => vacateJob(tx, { ...decided, event, reason }, this.world.config));
  }

  /** What the run of a job would do now, done. @returns the kinds of its steps */
  async supervise(job: string): Promise<string[]> {
    const kinds: string[] = [];
    for (;;) {
      const view = await this.view(job);
      const step = decide(view);
      kinds.push(step.kind === 'vacate' ? `vacate ${step.reason}` : step.kind);
      if (step.kind === 'wait' || step.kind === 'done') return kinds;
      const decided = { jobId: job, epoch: view.epoch, version: view.version, incarnation: view.incarnation };
      await inTransaction(this.world.db, (tx): Promise<Outcome> => {
        switch (step.kind) {
          case 'vacate': return vacateJob(tx, { ...decided, event: step.event, reason: step.reason }, this.world.config);
          case 'succeed': return succeedJob(tx, decided);
          case 'fence': return fenceJob(tx, decided, this.world.config);
          case 'end': return endJob(tx, decided, this.world.config);
        }
      });
    }
  }

  /** Every row of everything that the protocol writes, as text. */
  async everything(): Promise<string> {
    const tables = ['job', 'attempt', 'member', 'allocation', 'ticket', 'ticket_row', 'node', 'node_boot', 'device', 'node_credential', 'checkpoint', 'checkpoint_pointer', 'outbox'];
    const { rows } = await sql<{ all: unknown }>`select json_build_array(${sql.join(tables.map((table) => sql`(select json_agg(x order by x::text) from ${sql.table(table)} x)`))}) as all`.execute(this.world.db);
    return JSON.stringify(rows[0]!.all);
  }
}
