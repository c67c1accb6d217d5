import type { Command } from 'commander';
import { ask } from '../client.ts';
import { note, paintState, print, printJson } from '../output.ts';
import { command } from '../run.ts';
import { interruptible, narrate, untilEnded } from '../watch.ts';

export function registerCancel(program: Command): void {
  const definition = program.command('cancel').description('cancel a job: a waiting one ends at once, a placed one is told to stop')
    .argument('<job>')
    .option('--reason <text>', 'for people, at most 200 characters')
    .option('--if-version <version>', 'refuse, where the job has another version')
    .option('--wait', 'wait until its processes are gone');
  command<{ reason?: string; ifVersion?: string; wait?: boolean }>(definition, async ({ client, json }, options, [id = '']) => {
    const job = await ask(client.POST('/v1/jobs/{job}/cancel', {
      params: { path: { job: id } },
      body: { ...(options.reason === undefined ? {} : { reason: options.reason }), ...(options.ifVersion === undefined ? {} : { ifVersion: options.ifVersion }) },
    }));
    if (!options.wait) {
      if (json) printJson(job);
      else print(`${job.id}  ${paintState(job.state)}`);
      return;
    }
    return interruptible(async (signal) => {
      const view = narrate();
      const ended = await untilEnded(client, job.id, signal, json ? undefined : view.show).finally(view.stop);
      if (!ended) return;
      if (json) printJson(ended);
      else note(`${ended.id}  ${ended.state}`);
    });
  });
}
