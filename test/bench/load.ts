/** What every figure carries: how busy the machine was, since a bench can't have it for itself. */
import { cpus, loadavg } from 'node:os';

/** One-minute load average and cores. Names end in the unit. */
export const machine = (): Readonly<Record<string, number>> => ({ cores: cpus().length, load_1m: Math.round((loadavg()[0] ?? 0) * 10) / 10 });

export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
}

export const round = (value: number, digits = 2): number => Math.round(value * 10 ** digits) / 10 ** digits;
