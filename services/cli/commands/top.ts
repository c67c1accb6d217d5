/** `muster top`: fleet, queue, jobs and lag, live. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { createLogUpdate } from 'log-update';
import { ask, Unreachable, type Client, type Schema } from '../client.ts';
import { note, print, printJson } from '../output.ts';
import { screenOf, type Overview } from '../overview-view.ts';
import { command, UsageError } from '../run.ts';
import { seconds } from '../spec-flags.ts';
import { interruptible } from '../watch.ts';

/** The screen without jobs: so many lines stay for them. */
const linesBeside = 20;
const jobsMin = 5;
const jobsMax = 100;
/** where it is no terminal, or one that doesn't tell its size (0) */
const columnsElsewhere = 160;
const rowsElsewhere = 40;
/** The API reads its figures at most once a second. */
const everySecondsMin = 1;

interface TopOptions { readonly once?: true; readonly every: string }

export function registerTop(program: Command): void {
  const definition = program.command('top').description('show fleet, queue, jobs and lag, live on a terminal; elsewhere one snapshot')
    .option('--once', 'one snapshot, then end')
    .option('--every <time>', 'pause between two, e.g. 5s', '2s');
  command<TopOptions>(definition, async ({ client, json }, { once, every }) => {
    const everySeconds = seconds('--every', every);
    if (everySeconds < everySecondsMin) throw new UsageError(`--every ${every}: at least ${everySecondsMin}s`);
    if (once || (!json && !process.stdout.isTTY)) return snapshot(client, json);
    return interruptible((signal) => (json ? stream(client, everySeconds, signal) : live(client, everySeconds, signal)));
  });
}

const readOverview = (client: Client): Promise<Overview> => ask(client.GET('/v1/overview'));

async function snapshot(client: Client, json: boolean): Promise<void> {
  const overview = await readOverview(client);
  if (json) printJson(overview, false);
  else print(screenOf(overview, await activeJobs(client, jobsMax), columnsElsewhere));
}

/** One object a line, until Ctrl-C. */
async function stream(client: Client, everySeconds: number, signal: AbortSignal): Promise<void> {
  await repeatedly(everySeconds, signal, async () => printJson(await readOverview(client), false), (error) => note(`muster: ${error.message}`));
}

async function live(client: Client, everySeconds: number, signal: AbortSignal): Promise<void> {
  const screen = createLogUpdate(process.stdout, { showCursor: false });
  let last = '';
  const show = async (): Promise<void> => {
    const [overview, jobs] = await Promise.all([readOverview(client), activeJobs(client, roomForJobs())]);
    last = screenOf(overview, jobs, process.stdout.columns || columnsElsewhere);
    screen(last);
  };
  try {
    await repeatedly(everySeconds, signal, show, (error) => screen(`${last}\n${error.message}; trying again`));
  } finally {
    screen.done();
  }
}

const roomForJobs = (): number => Math.max(jobsMin, Math.min(jobsMax, (process.stdout.rows || rowsElsewhere) - linesBeside));

/** An API that is away at the start is an error; one that goes away meanwhile is waited for. */
async function repeatedly(everySeconds: number, signal: AbortSignal, work: () => Promise<void>, away: (error: Unreachable) => void): Promise<void> {
  await work();
  while (!signal.aborted) {
    await delay(everySeconds * 1_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await work().catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error;
      away(error);
    });
  }
}

const active = ['RESERVED', 'STARTING', 'RUNNING', 'LOST', 'VACATING', 'CANCELLING'] as const satisfies readonly Schema<'Job'>['state'][];

async function activeJobs(client: Client, limit: number): Promise<Schema<'Job'>[]> {
  return (await ask(client.GET('/v1/jobs', { params: { query: { state: [...active], page_size: limit } } }))).items;
}
