import type { Command } from 'commander';
import { allItems, ask, type Schema } from '../client.ts';
import { colours, paintState, print, printable, printJson } from '../output.ts';
import { command, UsageError, type Session } from '../run.ts';
import { collect } from '../spec-flags.ts';
import { streamEvents } from '../sse.ts';
import { interruptible } from '../watch.ts';
import { limitOf } from './jobs.ts';

type Event = Schema<'Event'>;

interface EventOptions { readonly follow?: boolean; readonly after?: string; readonly kind: string[]; readonly job?: string; readonly key?: string; readonly team?: string; readonly limit: string }

export function registerEvents(program: Command): void {
  const definition = program.command('events').description('follow events; or with --job and without -f, print the stored ones of a job')
    .option('-f, --follow', 'go on until Ctrl-C')
    .option('--after <pos>', 'everything after this position first; without it from now on')
    .option('--kind <kind>', 'repeatable, e.g. job.changed', collect, [])
    .option('--job <job>')
    .option('--key <key>', 'one object, e.g. node/node-1')
    .option('--team <team>')
    .option('--limit <n>', 'at most so many stored ones', '1000');
  command<EventOptions>(definition, async (session, options) => {
    if (options.after !== undefined && !/^\d{1,18}$/.test(options.after)) throw new UsageError(`--after ${options.after}: give a position`);
    if (!options.follow) return printStored(session, options);
    return interruptible((signal) => followEvents(session, options, signal));
  });
}

async function printStored({ client, json }: Session, { job, limit }: EventOptions): Promise<void> {
  if (job === undefined) throw new UsageError('give --follow, or --job for the stored events of a job');
  const events = await allItems(limitOf(limit), (page) => ask(client.GET('/v1/jobs/{job}/events', { params: { path: { job }, query: page } })));
  if (json) return printJson(events);
  for (const event of events) printEvent({ key: `job/${job}`, ...event });
}

async function followEvents({ connection, json }: Session, { after, kind, job, key, team }: EventOptions, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams(Object.entries({ after, job, key, team }).filter((entry): entry is [string, string] => entry[1] !== undefined));
  for (const one of kind) query.append('kind', one);
  for await (const message of streamEvents({ connection, path: `/v1/events?${query}`, signal })) {
    if (message.data === '') continue;
    const event = JSON.parse(message.data) as Event;
    if (json) printJson(event, false);
    else printEvent(event);
  }
}

function printEvent({ pos, at, kind, key, version, payload }: Event): void {
  const { state, reason } = payload as { state?: string; reason?: string | null };
  print(`${colours.dim(`${pos}  ${at}`)}  ${printable(kind.padEnd(20))}  ${printable(key)} v${version}${state ? `  ${paintState(state)}` : ''}${reason ? `  ${printable(reason)}` : ''}`);
}
