/** Prints the output of members as it comes: JSON lines for programs, the raw text with the rank in front for people. */
import type { Connection } from './client.ts';
import { colours, note, printJson } from './output.ts';
import { streamEvents } from './sse.ts';

export interface LogFilter {
  readonly rank?: string;
  readonly attempt?: string;
}

interface LogLine { readonly rank: number; readonly epoch: string; readonly stream: string; readonly text: string }

/** What is there, or with `followOn` all until the job has ended, or the signal. */
export async function printLogs(connection: Connection, jobId: string, filter: LogFilter, json: boolean, signal: AbortSignal, followOn: boolean): Promise<void> {
  const query = new URLSearchParams({ follow: String(followOn), ...filter });
  const lines = new Lines();
  for await (const message of streamEvents({ connection, path: `/v1/jobs/${encodeURIComponent(jobId)}/logs?${query}`, signal, endEvent: 'end' })) {
    if (message.event === 'end') break;
    const line = JSON.parse(message.data) as LogLine;
    if (json) printJson({ kind: message.event, ...line }, false);
    else if (message.event === 'notice') note(`[${line.rank}] ${line.text}`);
    else lines.add(line);
  }
  lines.flush();
}

/** A message may end within a line: the rank stands in front of whole lines only. */
class Lines {
  readonly #open = new Map<string, string>();

  add({ rank, epoch, stream, text }: LogLine): void {
    const key = `${epoch} ${rank} ${stream}`;
    const lines = `${this.#open.get(key) ?? ''}${text}`.split('\n');
    this.#open.set(key, lines.pop() ?? '');
    for (const line of lines) this.#write(rank, line);
  }

  flush(): void {
    for (const [key, line] of this.#open) if (line !== '') this.#write(Number(key.split(' ')[1]), line);
  }

  #write(rank: number, line: string): void {
    process.stdout.write(`${colours.dim(`[${rank}]`)} ${line}\n`);
  }
}
