/** The cluster in a few numbers: what `GET /v1/overview` answers and the metrics of the leading reconciler show. */
import { sql } from 'kysely';
import { relayReader } from '../events/relay.ts';
import { nodeStates, type NodeState } from '../fleet/model.ts';
import { jobStates, priorityOf, isActive, type JobState, type PriorityClass } from '../jobs/model.ts';
import { inTransaction, type Db } from '../platform/db.ts';
import { activeRows, deadLetterRows, deviceRows, fencedMembers, leaderRows, nodeRows, outboxRow, queueRows, type DeviceRow, type LeaderRow, type NodeRow, type OutboxRow, type QueueRow } from './store.ts';

/** No transaction lives longer than a second (design.md §6): past it the figures are not available. */
const readTimeoutMs = 900;

export const queueClasses = [...(Object.keys(priorityOf) as PriorityClass[])].sort((a, b) => priorityOf[b] - priorityOf[a]);
export const activeStates = jobStates.filter(isActive);

export interface QueueFigures { readonly class: PriorityClass; readonly jobs: number; readonly oldestAgeMs: number }

export interface ModelFigures {
  readonly model: string;
  readonly devices: number;
  /** by health; absent ones count 0 */
  readonly health: Readonly<Record<string, number>>;
  /** healthy, on nodes that take new work */
  readonly schedulable: number;
  /** thousandths of a device that are allocated */
  readonly usedMilli: number;
}

export interface Figures {
  readonly at: Date;
  readonly nodes: Readonly<Record<NodeState, { readonly schedulable: number; readonly other: number }>>;
  readonly models: readonly ModelFigures[];
  readonly queue: readonly QueueFigures[];
  readonly active: Readonly<Record<string, number>>;
  readonly outbox: OutboxRow;
  readonly deadLetters: { readonly dead: number; readonly redriven: number };
  readonly fencedMembers: number;
  readonly leaders: readonly LeaderRow[];
}

/** Eight short readings in one transaction of at most a second. @throws a database error, also where that was too short */
export async function readFigures(db: Db): Promise<Figures> {
  return inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(readTimeoutMs)}`.execute(tx);
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx);
    const letters = await deadLetterRows(tx);
    return {
      at: rows[0]!.now,
      nodes: nodesByState(await nodeRows(tx)),
      models: byModel(await deviceRows(tx)),
      queue: byClass(await queueRows(tx)),
      active: byState(await activeRows(tx)),
      outbox: await outboxRow(tx, relayReader),
      deadLetters: { dead: lettersIn(letters, 'DEAD'), redriven: lettersIn(letters, 'REDRIVEN') },
      fencedMembers: await fencedMembers(tx),
      leaders: await leaderRows(tx),
    };
  });
}

const lettersIn = (rows: readonly { state: string; letters: number }[], state: string): number => rows.find((row) => row.state === state)?.letters ?? 0;

function nodesByState(rows: readonly NodeRow[]): Figures['nodes'] {
  const count = (state: NodeState, schedulable: boolean): number => rows.find((row) => row.state === state && row.schedulable === schedulable)?.nodes ?? 0;
  return Object.fromEntries(nodeStates.map((state) => [state, { schedulable: count(state, true), other: count(state, false) }])) as Figures['nodes'];
}

function byModel(rows: readonly DeviceRow[]): ModelFigures[] {
  return [...new Set(rows.map((row) => row.model))].sort().map((model) => {
    const own = rows.filter((row) => row.model === model);
    const sum = (of: readonly DeviceRow[], what: 'devices' | 'usedMilli'): number => of.reduce((total, row) => total + row[what], 0);
    const health = Object.fromEntries([...new Set(own.map((row) => row.health))].map((name) => [name, sum(own.filter((row) => row.health === name), 'devices')]));
    return { model, devices: sum(own, 'devices'), health, schedulable: sum(own.filter((row) => row.schedulable && row.health === 'ok'), 'devices'), usedMilli: sum(own, 'usedMilli') };
  });
}

/** A priority between two classes counts as the lower one. */
const classOf = (priority: number): PriorityClass => queueClasses.find((name) => priority >= priorityOf[name]) ?? 'low';

function byClass(rows: readonly QueueRow[]): QueueFigures[] {
  return queueClasses.map((name) => {
    const own = rows.filter((row) => classOf(row.priority) === name);
    return { class: name, jobs: own.reduce((total, row) => total + row.jobs, 0), oldestAgeMs: Math.max(0, ...own.map((row) => row.oldestAgeMs)) };
  });
}

const byState = (rows: readonly { state: string; jobs: number }[]): Record<JobState, number> =>
  Object.fromEntries(activeStates.map((state) => [state, rows.find((row) => row.state === state)?.jobs ?? 0])) as Record<JobState, number>;
