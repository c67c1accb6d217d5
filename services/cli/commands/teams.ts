import type { Command } from 'commander';
import { ask, allItems } from '../client.ts';
import { print, printJson, printTable } from '../output.ts';
import { command } from '../run.ts';
import { limitOf } from './jobs.ts';

export function registerTeams(program: Command): void {
  const definition = program.command('teams').description('list teams, or create one with --create')
    .option('--create <name>', 'create a team')
    .option('--limit <n>', 'at most so many', '200');
  command<{ create?: string; limit: string }>(definition, async ({ client, json }, options) => {
    if (options.create !== undefined) {
      const team = await ask(client.POST('/v1/teams', { body: { name: options.create } }));
      if (json) printJson(team);
      else print(team.name);
      return;
    }
    const teams = await allItems(limitOf(options.limit), (page) =>
      ask(client.GET('/v1/teams', { params: { query: page } })));
    if (json) return printJson(teams);
    printTable(['TEAM', 'ID', 'CREATED'], teams.map((team) => [team.name, team.id, team.createdAt]));
  });
}
