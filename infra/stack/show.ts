import Table from 'cli-table3';
import color from 'picocolors';
import type { Part, StackView } from './part.ts';

/** The table of parts with the addresses a user needs. */
export function showStack(view: StackView): string {
  const table = new Table({ head: ['part', 'state', 'address', 'pid', 'restarts'], style: { head: [], border: [] } });
  for (const part of view.parts) table.push([part.name, stateText(part), part.address ?? '', part.pid ?? '', part.restarts || '']);
  const details = view.parts.filter((part) => part.detail).map((part) => `${part.name}: ${part.detail}`);
  return [
    table.toString(),
    ...details,
    ...view.notices,
    `API           ${view.urls.api}`,
    `API page      ${view.urls.openapi}`,
    ...(view.urls.temporalUi ? [`Temporal UI   ${view.urls.temporalUi}`] : []),
    ...metricsLine(view),
    `Admin key     ${view.adminKeyFile}`,
  ].join('\n');
}

/** Each process has its own address, which `muster status --json` gives. */
function metricsLine({ parts }: StackView): string[] {
  const urls = parts.flatMap((part) => part.metrics ?? []);
  return urls.length === 0 ? [] : [`Metrics       ${urls[0]} and ${urls.length - 1} more, see muster status --json`];
}

function stateText(part: Part): string {
  if (part.state === 'ready' || part.state === 'external') return color.green(part.state);
  return part.state === 'starting' ? color.yellow(part.state) : color.red(part.state);
}
