import type { Command } from 'commander';
import { ask } from '../client.ts';
import { printLogs } from '../log-view.ts';
import { command, UsageError } from '../run.ts';
import { interruptible } from '../watch.ts';

export function registerLogs(program: Command): void {
  const definition = program.command('logs').description('print what the members of a job print')
    .argument('<job>')
    .option('-f, --follow', 'go on until the job has ended')
    .option('--rank <n>', 'one member')
    .option('--attempt <epoch>', 'one attempt');
  command<{ follow?: boolean; rank?: string; attempt?: string }>(definition, async ({ client, connection, json }, { follow, rank, attempt }, [job = '']) => {
    for (const [flag, given] of Object.entries({ rank, attempt })) {
      if (given !== undefined && !/^\d{1,18}$/.test(given)) throw new UsageError(`--${flag} ${given}: give a whole number`);
    }
    await ask(client.GET('/v1/jobs/{job}', { params: { path: { job } } })); // an unknown job is a plain answer, not a stream
    return interruptible((signal) => printLogs(connection, job, { ...(rank === undefined ? {} : { rank }), ...(attempt === undefined ? {} : { attempt }) }, json, signal, follow ?? false));
  });
}
