import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { allItems, ask } from '../client.ts';
import { ageSince, print, printJson, printTable } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { limitOf } from './jobs.ts';

/** A value comes from the standard input: in the arguments every process of the machine could read it. */
export function registerSecrets(program: Command): void {
  const definition = program.command('secrets').description("list a team's secrets; with --put, put one from the standard input; with --delete, delete one")
    .option('--team <name>', 'the team', 'default')
    .option('--put <name>', 'its value is read from the standard input, one line end at its end is left out')
    .option('--delete <name>')
    .option('--limit <n>', 'at most so many', '200');
  command<{ team: string; put?: string; delete?: string; limit: string }>(definition, async ({ client, json }, flags) => {
    const { team } = flags;
    if (flags.put !== undefined) {
      if (process.stdin.isTTY) throw new UsageError(`--put ${flags.put}: give the value on the standard input, e.g. muster secrets --put ${flags.put} < file`);
      const value = (await text(process.stdin)).replace(/\r?\n$/, '');
      const secret = await ask(client.PUT('/v1/teams/{team}/secrets/{secret}', { params: { path: { team, secret: flags.put } }, body: { value } }));
      return json ? printJson(secret) : print(`${secret.name}  version ${secret.version}`);
    }
    if (flags.delete !== undefined) {
      const { error, response } = await client.DELETE('/v1/teams/{team}/secrets/{secret}', { params: { path: { team, secret: flags.delete } } });
      if (error !== undefined) await ask(Promise.resolve({ error, response }));
      return json ? printJson({ name: flags.delete, deleted: true }) : print(`${flags.delete}  deleted`);
    }
    const secrets = await allItems(limitOf(flags.limit), (page) => ask(client.GET('/v1/teams/{team}/secrets', { params: { path: { team }, query: page } })));
    if (json) return printJson(secrets);
    printTable(['SECRET', 'VERSION', 'CHANGED', 'BY'], secrets.map((secret) => [secret.name, String(secret.version), `${ageSince(secret.changedAt)} ago`, secret.changedBy ?? '']));
  });
}
