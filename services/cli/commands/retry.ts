import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { ask } from '../client.ts';
import { print, printJson } from '../output.ts';
import { command } from '../run.ts';

export function registerRetry(program: Command): void {
  command(program.command('retry').description('submit an ended job again, as a new job').argument('<job>'), async ({ client, json }, _options, [id = '']) => {
    const job = await ask(client.POST('/v1/jobs/{job}/retry', { params: { path: { job: id }, header: { 'idempotency-key': randomUUID() } }, body: {} }));
    if (json) printJson(job);
    else print(job.id);
  });
}
