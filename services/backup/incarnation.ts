/** Which incarnation a restore may take: above any that was ever used, whatever became of the database (P33). */
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '../agent/durable-file.ts';
import type { Config } from '../platform/config.ts';
import type { Bus } from '../platform/nats/bus.ts';
import { keepIncarnation, readKeptIncarnation } from '../platform/nats/incarnation-store.ts';

export interface UsedIncarnations {
  /** of the backup's manifest */
  readonly backup: number;
  /** of the database that is being replaced; undefined: empty or unreadable */
  readonly database: number | undefined;
  /** of the file in the home; undefined: none is there */
  readonly file: number | undefined;
  /** of NATS; undefined: none was kept there, null: it could not be asked */
  readonly nats: number | undefined | null;
}

const fileOf = ({ home }: Pick<Config, 'home'>, clusterId: string): string => path.join(home, 'cluster', `${clusterId}.json`);

export async function readIncarnationFile(config: Pick<Config, 'home'>, clusterId: string): Promise<number | undefined> {
  const text = await readFile(fileOf(config, clusterId), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value = (JSON.parse(text) as { incarnation?: unknown }).incarnation;
  if (!Number.isSafeInteger(value)) throw new Error(`${fileOf(config, clusterId)} names no incarnation`);
  return value as number;
}

export async function readIncarnationFromNats(bus: Bus | undefined, clusterId: string): Promise<number | undefined | null> {
  return bus ? readKeptIncarnation(bus, clusterId).catch(() => null) : null;
}

/**
 * Written before the database is touched: a restore that is interrupted has used its incarnation up.
 *
 * @throws Error where neither place took it
 */
export async function recordIncarnation(config: Pick<Config, 'home'>, bus: Bus | undefined, clusterId: string, incarnation: number): Promise<void> {
  const file = fileOf(config, clusterId);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(file, { clusterId, incarnation });
  if (bus) await keepIncarnation(bus, clusterId, incarnation);
}

export const nextIncarnation = (used: UsedIncarnations, above = 0): number =>
  Math.max(used.backup, used.database ?? 0, used.file ?? 0, used.nats ?? 0, above) + 1;

/** Whether somebody outside of the backup could be asked: its own number alone may have been passed long ago. */
export const isWitnessed = ({ database, file, nats }: UsedIncarnations): boolean => database !== undefined || file !== undefined || nats !== null;
