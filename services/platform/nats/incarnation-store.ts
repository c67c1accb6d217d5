/** The highest incarnation of a cluster that was ever used, kept beside the database (P33): a restore must go above it. */
import { connectionOf, type Bus } from './bus.ts';
import { decodeJson, encodeJson } from './json.ts';

const bucket = 'MUSTER_CLUSTER';
const key = (clusterId: string): string => `incarnation.${clusterId}`;

async function open(bus: Bus) {
  return connectionOf(bus).jetstream().views.kv(bucket, { history: 1 });
}

/** @returns undefined, where none was recorded: the database was never restored, or NATS lost its store */
export async function readKeptIncarnation(bus: Bus, clusterId: string): Promise<number | undefined> {
  const entry = await (await open(bus)).get(key(clusterId));
  if (!entry || entry.operation !== 'PUT') return undefined;
  const value = decodeJson(entry.value);
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export async function keepIncarnation(bus: Bus, clusterId: string, incarnation: number): Promise<void> {
  await (await open(bus)).put(key(clusterId), encodeJson(incarnation));
}
