/** Prints the output of members as it comes: JSON lines for programs, the raw text with the rank in front for people. */
import type { Connection } from './client.ts';
import { colours, note, printJson } from './output.ts';
import { streamEvents } from './sse.ts';

export interface LogFilter {
  readonly rank?: string;
  readonly attempt?: string;
}

interface LogLine { readonly rank: number; readonly epoch: string; readonly stream: string; readonly text: string }

/** Until the job has ended and all is printed, or the signal. */
export async function follow(connection: Connection, jobId: string, filter: LogFilter, json: boolean, signal: AbortSignal, followOn = true): Promise<void> {
  const query = new URLSearchParams({ follow: String(followOn), ...filter });
  for await (const message of streamEvents({ connection, path: `/v1/jobs/${encodeURIComponent(jobId)}/logs?${query}`, signal, endEvent: 'end' })) {
    if (message.event === 'end') return;
    const line = JSON.parse(message.data) as LogLine;
    if (json) printJson(line, false);
    else if (message.event === 'notice') note(line.text);
    else write(line);
  }
}

const open = new Map<string, string>();

/** A chunk may end within a line: the rank stands in front of whole lines only. */
function write({ rank, stream, text }: LogLine): void {
  const key = `${rank} ${stream}`;
  const lines = `${open.get(key) ?? ''}${text}`.split('\n');
  open.set(key, lines.pop() ?? '');
  for (const line of lines) process.stdout.write(`${colours.dim(`[${rank}]`)} ${line}\n`);
}
