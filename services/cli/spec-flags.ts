/** The specification of a job from a file and flags. What it means is checked by the API; here only how flags read. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import type { Schema } from './client.ts';
import { UsageError } from './run.ts';

type Spec = Schema<'JobSpec'>;

export interface SpecFlags {
  readonly file?: string;
  readonly name?: string;
  readonly team?: string;
  readonly members?: string;
  readonly devices?: string;
  readonly deviceModel: readonly string[];
  readonly cpu?: string;
  readonly memory?: string;
  readonly env: readonly string[];
  readonly workdir?: string;
  readonly label: readonly string[];
  readonly nodeSelector: readonly string[];
  readonly topology?: string;
  readonly priority?: string;
  readonly timeLimit?: string;
  readonly queueDeadline?: string;
  readonly preemptible?: boolean;
  readonly exclusive?: boolean;
  readonly readiness?: string;
  readonly userRetries?: string;
  readonly infraRetries?: string;
  readonly backoff?: string;
  readonly checkpointInterval?: string;
  readonly grace?: string;
}

export const collect = (value: string, before: readonly string[]): string[] => [...before, value];

/** @throws UsageError for a file that can't be read and flags that can't be understood */
export async function buildSpec(flags: SpecFlags, argv: readonly string[]): Promise<Spec> {
  const file = flags.file === undefined ? {} : await readSpecFile(flags.file);
  const own: Record<string, unknown> = {
    ...picked(flags),
    ...(argv.length > 0 ? { argv } : {}),
  };
  const merged: Record<string, unknown> = { ...file, ...own };
  for (const nested of ['env', 'labels', 'nodeSelector', 'retry', 'checkpoint']) {
    if (isRecord(file[nested]) && isRecord(own[nested])) merged[nested] = { ...file[nested], ...own[nested] };
  }
  return merged as unknown as Spec; // the API names what is wrong with it
}

async function readSpecFile(file: string): Promise<Record<string, unknown>> {
  try {
    const value: unknown = parse(file === '-' ? await text(process.stdin) : await readFile(file, 'utf8'));
    if (!isRecord(value)) throw new Error('it does not hold an object');
    return value;
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function picked(flags: SpecFlags): Record<string, unknown> {
  const [level, mode = 'required'] = flags.topology?.split(':') ?? [];
  return present({
    name: flags.name,
    team: flags.team,
    members: flags.members && whole('--members', flags.members),
    devicesPerMember: flags.devices && whole('--devices', flags.devices),
    deviceModels: some(flags.deviceModel),
    cpuMilli: flags.cpu && cpuMilli(flags.cpu),
    memoryBytes: flags.memory && memoryBytes(flags.memory),
    env: pairs('--env', flags.env),
    workingDirectory: flags.workdir === undefined ? undefined : path.resolve(flags.workdir),
    labels: pairs('--label', flags.label),
    nodeSelector: pairs('--node-selector', flags.nodeSelector),
    topology: level && { level, mode },
    priorityClass: flags.priority,
    timeLimitSeconds: flags.timeLimit && seconds('--time-limit', flags.timeLimit),
    queueDeadlineSeconds: flags.queueDeadline && seconds('--queue-deadline', flags.queueDeadline),
    preemptible: flags.preemptible,
    exclusive: flags.exclusive,
    readiness: flags.readiness,
    retry: orAbsent(present({
      userFailures: flags.userRetries && whole('--user-retries', flags.userRetries),
      infrastructureFailures: flags.infraRetries && whole('--infra-retries', flags.infraRetries),
      backoffSeconds: flags.backoff && seconds('--backoff', flags.backoff),
    })),
    checkpoint: orAbsent(present({
      intervalSeconds: flags.checkpointInterval && seconds('--checkpoint-interval', flags.checkpointInterval),
      graceSeconds: flags.grace && seconds('--grace', flags.grace),
    })),
  });
}

const present = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
const orAbsent = (fields: Record<string, unknown>): Record<string, unknown> | undefined => (Object.keys(fields).length > 0 ? fields : undefined);
const some = (items: readonly string[]): readonly string[] | undefined => (items.length > 0 ? items : undefined);

function pairs(flag: string, items: readonly string[]): Record<string, string> | undefined {
  if (items.length === 0) return undefined;
  return Object.fromEntries(items.map((item) => {
    const at = item.indexOf('=');
    if (at < 1) throw new UsageError(`${flag} ${item}: give name=value`);
    return [item.slice(0, at), item.slice(at + 1)];
  }));
}

/** Negative numbers pass: the API refuses them with the bound. */
function whole(flag: string, given: string): number {
  if (!/^-?\d{1,15}$/.test(given)) throw new UsageError(`${flag} ${given}: give a whole number`);
  return Number(given);
}

export function cpuMilli(given: string): number {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(given)) throw new UsageError(`--cpu ${given}: give cores with at most three decimals, e.g. 0.5`);
  return Math.round(Number(given) * 1000);
}

const powers: Readonly<Record<string, bigint>> = { '': 1n, B: 1n, KiB: 1n << 10n, MiB: 1n << 20n, GiB: 1n << 30n, TiB: 1n << 40n, KB: 1_000n, MB: 1_000_000n, GB: 1_000_000_000n, TB: 1_000_000_000_000n };

export function memoryBytes(given: string): string {
  const [, count, unit = ''] = /^(\d{1,18})\s*([KMGT]i?B|B)?$/.exec(given) ?? [];
  const power = powers[unit];
  if (count === undefined || power === undefined) throw new UsageError(`--memory ${given}: give a whole number with B, KiB, MiB, GiB or TiB`);
  return (BigInt(count) * power).toString();
}

const secondsOf: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };

export function seconds(flag: string, given: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])?$/.exec(given) ?? [];
  const factor = secondsOf[unit];
  if (count === undefined || factor === undefined) throw new UsageError(`${flag} ${given}: give a whole number with s, m, h or d`);
  return Number(count) * factor;
}
