import type { Command } from 'commander';
import { ask, allItems, type Schema } from '../client.ts';
import { paintState, print, printJson, printTable } from '../output.ts';
import { command } from '../run.ts';
import { limitOf } from './jobs.ts';

type Member = Schema<'Attempt'>['members'][number];

export function registerAttempts(program: Command): void {
  const definition = program.command('attempts').description('attempts of a job with the state and exit of each member, newest first')
    .argument('<job>')
    .option('--limit <n>', 'at most so many', '20');
  command<{ limit: string }>(definition, async ({ client, json }, options, [job = '']) => {
    const attempts = await allItems(limitOf(options.limit), (page) =>
      ask(client.GET('/v1/jobs/{job}/attempts', { params: { path: { job }, query: page } })));
    if (json) return printJson(attempts);
    for (const attempt of attempts) {
      print(`epoch ${attempt.epoch}  ${paintState(attempt.state)}${attempt.endReason ? `  ${attempt.endReason}` : ''}${attempt.fenced ? '  fenced' : ''}${attempt.resumedFrom ? `  from ${attempt.resumedFrom}` : ''}`);
      printTable(['RANK', 'STATE', 'NODE', 'DEVICES', 'EXIT', 'STEP', 'DETAIL'], attempt.members.map((member) => [
        String(member.rank), paintState(member.state), member.node, member.devices.join(','), exitOf(member), member.progress?.step ?? '', member.detail ?? member.refusal ?? member.stopReason ?? '']));
    }
  });
}

const exitOf = (member: Member): string => member.signal ?? (member.exitCode === null ? '' : String(member.exitCode));
