/** What commands print: tables and colours for people, JSON for programs. Data goes to stdout, everything else to stderr. */
import Table from 'cli-table3';
import pc from 'picocolors';
import type { Refused } from './client.ts';

/** On a terminal and without NO_COLOR (https://no-color.org). */
const colourful = process.stdout.isTTY === true && !process.env['NO_COLOR'];
export const colours = pc.createColors(colourful);

const { green, yellow, red, cyan, dim } = colours;

const colourOf: Readonly<Record<string, (text: string) => string>> = {
  SUCCEEDED: green, RUNNING: green, ready: green, LIVE: green,
  QUEUED: yellow, RESERVED: cyan, STARTING: cyan, VACATING: yellow, CANCELLING: yellow, LOST: red,
  FAILED: red, REJECTED: red, CANCELLED: dim, DEAD: red, UNKNOWN: yellow,
};
export const paintState = (state: string): string => colourOf[state]?.(state) ?? state;

/** One JSON document; a stream prints one a line. */
export function printJson(value: unknown, pretty = true): void {
  process.stdout.write(`${JSON.stringify(value, null, pretty ? 2 : 0)}\n`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  print(tableOf(head, rows));
}

/** Columns without frames. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' };
  const table = new Table({ head: head.map((name) => dim(name)), chars: none, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } });
  table.push(...rows.map((row) => row.map(printable)));
  return table.toString().split('\n').map((line) => line.trimEnd()).join('\n');
}

/** `name  value` lines of one object; absent values are left out. */
export function printFacts(facts: Readonly<Record<string, string | null | undefined>>): void {
  const shown = Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== undefined && fact[1] !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  for (const [name, value] of shown) print(`${dim(name.padEnd(width))}  ${printable(value)}`);
}

/** Text of others may hold control characters: a name must not move the cursor. Colours of ours (SGR) stay. */
export const printable = (text: string): string =>
  text.replaceAll(/\u001b\[[0-9;]*m|[\u0000-\u001f\u007f-\u009f]/g, (found) => (colourful && found.length > 1 ? found : found.length > 1 ? '' : '\ufffd'));

/** `12 s`, `3 min`, `2 h`, `5 d` */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

export const ageSince = (time: string | null): string => (time === null ? '' : age(Date.now() - Date.parse(time)));

/** Title, detail, fields and remedy of a refusal. */
export function describeRefusal({ problem }: Refused): string {
  const fields = problem.errors.map((field) => `  ${field.pointer || '/'}  ${field.detail}`);
  const detail = fields.length > 0 || problem.detail === problem.title ? [] : [problem.detail];
  return [`${problem.title} (${problem.code})`, ...detail, ...fields, `${problem.remedy}  [request ${problem.instance}]`].map(printable).join('\n');
}
