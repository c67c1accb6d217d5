import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { ask } from '../client.ts';
import { exitCodes } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import { command } from '../run.ts';

/** Below the 30 s after which a request is given up, and what the API waits at most. */
const waitSeconds = 25;
/** Where the API can not wait, or not that long. */
const pauseMs = 500;

export function registerDrain(program: Command): void {
  const definition = program.command('drain').description('empty a node: no new work, and its jobs go elsewhere after a last save')
    .argument('<node>')
    .requiredOption('--reason <text>', 'for people')
    .option('--dry-run', 'only say which jobs would go')
    .option('--wait', 'wait until no member is left');
  command<{ reason: string; dryRun?: boolean; wait?: boolean }>(definition, async ({ client, json }, { reason, dryRun = false, wait }, [node = '']) => {
    const drain = await ask(client.POST('/v1/nodes/{node}/drain', { params: { path: { node } }, body: { reason, dryRun } }));
    let { operation } = drain;
    if (!json) note(drain.jobs.length === 0 ? `no job is on ${node}` : `${dryRun ? 'would go' : 'go'}: ${drain.jobs.join(', ')}`);
    while (wait && operation?.state === 'RUNNING') {
      operation = await ask(client.GET('/v1/operations/{operation}', { params: { path: { operation: operation.id }, header: { prefer: `wait=${waitSeconds}` } } }));
      if (operation.state === 'RUNNING') await delay(pauseMs);
    }
    if (json) printJson({ ...drain, operation });
    else if (operation) print(`${operation.id}  ${operation.state}${operation.detail === null ? '' : `  ${operation.detail}`}`);
    return operation?.state === 'FAILED' ? exitCodes.jobFailed : exitCodes.ok;
  });
}
