import type { Command } from 'commander';
import { allItems, ask } from '../client.ts';
import { ageSince, paintState, print, printJson, printTable } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { limitOf } from './jobs.ts';

const states = ['DEAD', 'REDRIVEN', 'HANDLED'] as const;

export function registerDeadLetters(program: Command): void {
  const definition = program.command('dead-letters').description('events that a consumer could not handle; with --redrive, have one handled again')
    .option('--redrive <id>')
    .option('--state <state>', states.join(', '))
    .option('--limit <n>', 'at most so many', '50');
  command<{ redrive?: string; state?: string; limit: string }>(definition, async ({ client, json }, options) => {
    if (options.redrive !== undefined) {
      const letter = await ask(client.POST('/v1/dead-letters/{id}/redrive', { params: { path: { id: options.redrive } } }));
      if (json) printJson(letter);
      else print(`${letter.id}  ${letter.state}`);
      return;
    }
    const state = states.find((one) => one === options.state?.toUpperCase());
    if (options.state !== undefined && !state) throw new UsageError(`--state ${options.state}: give one of ${states.join(', ')}`);
    const letters = await allItems(limitOf(options.limit), (page) =>
      ask(client.GET('/v1/dead-letters', { params: { query: { ...page, ...(state ? { state } : {}) } } })));
    if (json) return printJson(letters);
    printTable(['ID', 'STATE', 'CONSUMER', 'EVENT', 'KEY', 'DELIVERIES', 'AGE', 'ERROR'], letters.map((letter) => [
      letter.id, paintState(letter.state), letter.consumer, letter.kind, letter.key, String(letter.deliveries), ageSince(letter.createdAt), letter.error]));
  });
}
