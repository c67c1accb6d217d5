/**
 * `npm run bench -- <bench> [--json]`: measures, never judges by itself: it prints one JSON object a line under the
 * names of the bounds, or a table for people. Benches stand in files of their own.
 */
import { printTable } from '#services/cli/output.ts';
import { api } from './api.ts';
import { events } from './events.ts';
import { failover } from './failover.ts';
import { fleet } from './fleet.ts';
import { lifecycle } from './lifecycle.ts';
import { skeleton } from './skeleton.ts';
import { soak } from './soak.ts';

export interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly params: Readonly<Record<string, string | number>>;
}

const benches: Readonly<Record<string, () => AsyncGenerator<Figure>>> = { skeleton, api, events, lifecycle, fleet, soak, failover };

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !(name in benches));
  if (names.length === 0 || unknown.length > 0) {
    process.stderr.write(`give a bench: ${Object.keys(benches).join(', ')}\n`);
    return 2;
  }
  const figures: Figure[] = [];
  for (const name of names) {
    for await (const figure of benches[name]?.() ?? []) {
      figures.push(figure);
      if (args.includes('--json')) process.stdout.write(`${JSON.stringify(figure)}\n`);
    }
  }
  if (!args.includes('--json')) {
    printTable(['bench', 'figure', 'value', 'unit', 'params'], figures.map(({ bench, figure, value, unit, params }) => [bench, figure, String(value), unit, JSON.stringify(params)]));
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
