import type { Command } from 'commander';
import { allItems, ask } from '../client.ts';
import { ageSince, printJson, printTable } from '../output.ts';
import { command } from '../run.ts';
import { limitOf } from './jobs.ts';

export function registerCheckpoints(program: Command): void {
  const definition = program.command('checkpoints').description('committed checkpoints of a job, newest first; * is what a restart gets')
    .argument('<job>')
    .option('--limit <n>', 'at most so many', '50');
  command<{ limit: string }>(definition, async ({ client, json }, options, [job = '']) => {
    const checkpoints = await allItems(limitOf(options.limit), (page) => ask(client.GET('/v1/jobs/{job}/checkpoints', { params: { path: { job }, query: page } })));
    if (json) return printJson(checkpoints);
    printTable(['', 'CHECKPOINT', 'STEP', 'EPOCH', 'STATE', 'SHARDS', 'BYTES', 'REACH', 'AGE', 'DETAIL'], checkpoints.map((checkpoint) => [
      checkpoint.isCurrent ? '*' : '', checkpoint.id, checkpoint.step, checkpoint.epoch, checkpoint.state, String(checkpoint.shards), checkpoint.bytes,
      checkpoint.reach, ageSince(checkpoint.committedAt), checkpoint.badReason ?? '']));
  });
}
