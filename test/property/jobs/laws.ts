/** What must hold after each step, whatever happened (design.md §5, laws 1–4 and 7): asked of the rows, the events and the processes. */
import { sql } from 'kysely';
import { isEnded, isPlaced, moves, type JobState } from '#services/jobs/model.ts';
import type { Db } from '#services/platform/db.ts';
import type { Machine, Process } from './agent.ts';

interface Facts {
  readonly devices: { node_id: string; idx: number; used_milli: number; rows: number }[];
  readonly nodes: { id: string; cpu_used_milli: number; cpu_milli: number; cpu_rows: number; memory_used: number; memory_rows: number; state: string }[];
  readonly jobs: { id: string; state: JobState; version: number; epoch: string; members: number; vacate_reason: string | null; unknown_devices: number }[];
  readonly held: { job_id: string; epoch: string; state: string; rows: number }[];
  readonly attempts: { job_id: string; epoch: string; counted: number[]; rows: number[]; fenced: boolean; ended: boolean; quarantined: boolean }[];
  readonly allocations: string[];
  readonly leaked: string[];
  readonly events: { id: number; key: string; version: number; kind: string; payload: { state: JobState; reason: string | null } }[];
}

const counters = ['accepted', 'ready', 'gone', 'succeeded', 'user_failed', 'refused'] as const;
const counted: Readonly<Record<(typeof counters)[number], string>> = {
  accepted: 'm.accepted_at is not null', ready: 'm.ready_at is not null', gone: 'm.gone_at is not null',
  succeeded: `m.gone_kind = 'exited' and m.exit_code = 0`,
  user_failed: `m.gone_kind = 'exited' and m.exit_code is distinct from 0 and m.desired = 'run'`,
  refused: `m.gone_kind = 'refused' and m.desired = 'run'`,
};

async function readFacts(db: Db, afterEvent: number): Promise<Facts> {
  const { rows } = await sql<{ facts: Facts }>`
    select json_build_object(
      'devices', (select coalesce(json_agg(x), '[]') from (select d.node_id, d.idx, d.used_milli,
        (select coalesce(sum(milli), 0)::int from allocation a where a.node_id = d.node_id and a.device_idx = d.idx) as rows from device d) x),
      'nodes', (select coalesce(json_agg(x), '[]') from (select n.id, n.cpu_used_milli, n.cpu_milli, n.memory_used_bytes as memory_used, n.state,
        coalesce(sum(a.cpu_milli), 0)::int as cpu_rows, coalesce(sum(a.memory_bytes), 0)::bigint as memory_rows
        from node n left join allocation a on a.node_id = n.id group by n.id) x),
      'jobs', (select coalesce(json_agg(x), '[]') from (select id, state, version, epoch::text, members, vacate_reason,
        (select count(*)::int from member m where m.job_id = job.id and m.epoch = job.epoch and m.devices = '{}') as unknown_devices from job) x),
      'held', (select coalesce(json_agg(x), '[]') from (select job_id, epoch::text, state, count(*)::int as rows from allocation
        where held_by = 'job' and device_idx >= 0 group by 1, 2, 3) x),
      'attempts', (select coalesce(json_agg(x), '[]') from (select a.job_id, a.epoch::text, a.fenced, a.ended_at is not null as ended, a.quarantined_at is not null as quarantined,
        array[${sql.raw(counters.map((name) => `a.${name}`).join(', '))}] as counted,
        array[${sql.raw(counters.map((name) => `count(*) filter (where ${counted[name]})::int`).join(', '))}] as rows
        from attempt a join member m on m.job_id = a.job_id and m.epoch = a.epoch group by a.job_id, a.epoch) x),
      'allocations', (select coalesce(json_agg(job_id || ' ' || epoch || ' ' || rank), '[]') from allocation where held_by = 'job' and device_idx >= 0),
      'leaked', (select coalesce(json_agg(a.ticket_id), '[]') from allocation a join ticket t on t.id = a.ticket_id where t.state <> 'OPEN'),
      'events', (select coalesce(json_agg(x order by x.id), '[]') from (select id, key, version, kind, payload from outbox
        where id > ${afterEvent} and key like 'job/%') x)) as facts`.execute(db);
  return rows[0]!.facts;
}

const submitted = { state: 'QUEUED', version: 1, reason: null } as const;

/** Follows one world's events; each look tells the faults that are new since the last. */
export class Laws {
  #lastEvent = 0;
  readonly #told = new Map<string, { state: JobState; version: number; reason: string | null }>();
  /** the rows were put back to an older state: what was told before counts no more */
  #isRestored = false;
  #isRebased = true;

  restored(): void {
    this.#isRestored = true;
    this.#isRebased = false;
  }

  async faults(db: Db, machines: readonly Machine[], processes: readonly Process[]): Promise<string[]> {
    if (!this.#isRebased) await this.#rebase(db);
    const facts = await readFacts(db, this.#lastEvent);
    this.#lastEvent = facts.events.at(-1)?.id ?? this.#lastEvent;
    return [
      ...machines.flatMap((machine) => machine.faults), ...capacityFaults(facts), ...gangFaults(facts, this.#isRestored), ...counterFaults(facts),
      ...processFaults(facts, processes, this.#isRestored), ...this.#eventFaults(facts),
    ];
  }

  async #rebase(db: Db): Promise<void> {
    this.#lastEvent = 0;
    const { jobs, events } = await readFacts(db, 0);
    this.#told.clear();
    for (const job of jobs) this.#told.set(`job/${job.id}`, { state: job.state, version: job.version, reason: job.vacate_reason });
    this.#lastEvent = events.at(-1)?.id ?? 0;
    this.#isRebased = true;
  }

  /** Law 3: what the outbox tells, in its order, is a way along the table, and ends where the row stands. */
  #eventFaults({ events, jobs }: Facts): string[] {
    const faults: string[] = [];
    for (const { key, version, kind, payload } of events) {
      const before = this.#told.get(key) ?? submitted;
      const at = `${key} v${version} ${kind}`;
      this.#told.set(key, { state: payload.state, version, reason: payload.reason });
      if (kind === 'job.attention' || (this.#isRestored && kind === 'job.placed' && version === before.version)) { // the thaw tells every run
        if (version !== before.version || payload.state !== before.state) faults.push(`law 9: ${at} tells of a move that had no event`);
        continue;
      }
      if (version !== before.version + 1) faults.push(`law 9: ${at} follows v${before.version}`);
      if (isEnded(before.state)) faults.push(`law 3: ${at} moves after the end, ${before.state}`);
      const isReplaced = before.state === 'VACATING' && payload.state === 'VACATING' && before.reason !== 'lost';
      const isDeclared = moves.some((move) => (move.from as readonly string[]).includes(before.state) && (move.to as readonly string[]).includes(payload.state));
      if (!isDeclared && !isReplaced) faults.push(`law 3: ${at} goes from ${before.state} to ${payload.state}`);
      if (payload.state === 'SUCCEEDED' && before.state === 'VACATING' && before.reason === 'lost') faults.push(`P17: ${at} succeeds out of a lost epoch`);
    }
    for (const job of jobs) {
      const told = this.#told.get(`job/${job.id}`);
      if (told && (told.state !== job.state || told.version !== job.version)) faults.push(`law 9: ${job.id} is ${job.state} v${job.version}, told ${told.state} v${told.version}`);
    }
    return faults;
  }
}

/** Law 1. */
function capacityFaults({ devices, nodes, leaked }: Facts): string[] {
  return [
    ...devices.filter((d) => d.used_milli !== d.rows || d.rows > 1_000).map((d) => `law 1: ${d.node_id}/${d.idx} says ${d.used_milli}, its rows ${d.rows}`),
    ...nodes.filter((n) => n.cpu_used_milli !== n.cpu_rows || n.cpu_rows > n.cpu_milli || n.memory_used !== n.memory_rows)
      .map((n) => `law 1: ${n.id} says cpu ${n.cpu_used_milli} memory ${n.memory_used}, its rows ${n.cpu_rows} and ${n.memory_rows}`),
    ...leaked.map((ticket) => `P21: a row stays with the ended ticket ${ticket}`),
  ];
}

/** Law 2, and law 4 for VACATING and CANCELLING: nothing is given back before the end. */
function gangFaults({ jobs, held, attempts }: Facts, isRestored: boolean): string[] {
  return jobs.flatMap((job) => {
    const rows = (state: string, current: boolean): number => held.filter((row) => row.job_id === job.id && row.state === state && (row.epoch === job.epoch) === current).reduce((sum, row) => sum + row.rows, 0);
    const faults: string[] = [];
    const isLeaving = job.state === 'VACATING' || job.state === 'CANCELLING';
    // After a restore: a gang that was already gone makes room before its end, and who exited unseen holds what nobody knows.
    const isShort = rows('held', true) !== job.members && !(isRestored && (isLeaving || rows('held', true) === job.members - job.unknown_devices));
    if ((isPlaced(job.state) || isLeaving) && isShort) faults.push(`law 2: ${job.id} ${job.state} holds ${rows('held', true)} of ${job.members}`);
    if (!isPlaced(job.state) && !isLeaving && rows('held', true) > 0) faults.push(`law 2: ${job.id} ${job.state} still holds ${rows('held', true)}`);
    if (rows('held', false) > 0) faults.push(`law 2: ${job.id} holds ${rows('held', false)} rows of older epochs`);
    for (const attempt of attempts.filter((each) => each.job_id === job.id)) {
      const isOver = attempt.ended || attempt.epoch !== job.epoch || (job.state === 'VACATING' && job.vacate_reason === 'lost');
      if (isOver && !attempt.fenced && !attempt.quarantined) faults.push(`P18: ${job.id} epoch ${attempt.epoch} is over and not fenced`);
    }
    return faults;
  });
}

/** Law 7: each observation is counted once. */
function counterFaults({ attempts }: Facts): string[] {
  return attempts.filter((attempt) => attempt.counted.join() !== attempt.rows.join())
    .map((attempt) => `law 7: ${attempt.job_id} epoch ${attempt.epoch} counts ${attempt.counted.join()}, its members ${attempt.rows.join()} (${counters.join()})`);
}

/** Laws 1 and 4 on the machines themselves, and `exclusive`. */
function processFaults({ allocations }: Facts, processes: readonly Process[], isRestored: boolean): string[] {
  const living = processes.filter((process) => process.isAlive);
  const rows = new Set(allocations);
  // Rows that were put back know nothing of what began after them: until it is gone, its node takes no work.
  const faults = isRestored ? [] : living.filter((process) => !rows.has(process.key)).map((process) => `law 4: ${process.key} lives on ${process.node} without an allocation`);
  for (const sharing of Map.groupBy(living, (process) => `${process.node}/${process.device}`).values()) {
    if (sharing.length > 1) faults.push(`law 1: ${sharing.map((process) => process.key).join(' and ')} live on one device`);
  }
  for (const own of Map.groupBy(living.filter((process) => process.isExclusive), (process) => process.member.job).values()) {
    if (new Set(own.map((process) => process.member.epoch)).size > 1) faults.push(`P20: ${own[0]!.member.job} lives in two epochs`);
  }
  return faults;
}
