/** What a viewer of the demo sees while the gang trains: a row a member and a bar for the job; lines where no terminal is. */
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Job, Schema } from '#services/cli/client.ts';
import { note, paintState } from '#services/cli/output.ts';

type Attempt = Schema<'Attempt'>;

export interface DemoView {
  show(job: Job, attempt: Attempt | undefined): void;
  say(text: string): void;
  stop(): void;
}

/** Lines between two progress reports, where there is no terminal to redraw. */
const quietSteps = 100;

export const openView = (): DemoView => (process.stderr.isTTY ? new LiveView() : new LineView());

class LiveView implements DemoView {
  readonly #bars = new MultiBar({ format: '{title} {bar} {value}/{total}  {state}', hideCursor: true, stream: process.stderr, clearOnComplete: false, emptyOnZero: true });
  #job: SingleBar | undefined;
  readonly #members = new Map<number, SingleBar>();

  show(job: Job, attempt: Attempt | undefined): void {
    const total = Number(job.progress?.totalSteps ?? 0) || 1;
    this.#job ??= this.#bars.create(total, 0, { title: '', state: '' });
    this.#job.setTotal(total);
    this.#job.update(Number(job.progress?.step ?? 0), { title: job.name.padEnd(22), state: `${paintState(job.state)}  ${job.reason}` });
    for (const member of attempt?.members ?? []) {
      const bar = this.#members.get(member.rank) ?? this.#bars.create(total, 0, { title: '', state: '' });
      this.#members.set(member.rank, bar);
      bar.setTotal(total);
      bar.update(Number(member.progress?.step ?? 0), { title: `  rank ${member.rank} on ${member.node}`.padEnd(22), state: memberState(member) });
    }
  }

  say(text: string): void {
    this.#bars.log(`${text}\n`);
  }

  stop(): void {
    this.#bars.stop();
  }
}

class LineView implements DemoView {
  #told = '';
  #step = 0;

  show(job: Job, attempt: Attempt | undefined): void {
    const step = Number(job.progress?.step ?? 0);
    const line = `${job.state}  ${job.reason}`;
    if (line !== this.#told) {
      note(line);
      if (job.state === 'RUNNING') for (const member of attempt?.members ?? []) note(`  rank ${member.rank} on ${member.node}, devices ${member.devices.join(',')}: ${memberState(member)}`);
    } else if (Math.abs(step - this.#step) >= quietSteps) note(`  step ${step} of ${job.progress?.totalSteps ?? '?'}`);
    else return;
    this.#told = line;
    this.#step = step;
  }

  say(text: string): void {
    note(text);
  }

  stop(): void {}
}

const memberState = (member: Attempt['members'][number]): string =>
  member.state === 'exited' ? `exited ${member.exitCode ?? member.signal ?? ''}` : member.state;
