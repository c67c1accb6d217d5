import type { Command } from 'commander';
import { ask, allItems, type Job } from '../client.ts';
import { ageSince, paintState, printJson, printTable } from '../output.ts';
import { command, UsageError } from '../run.ts';
import { collect } from '../spec-flags.ts';

interface ListOptions { readonly state: string[]; readonly team?: string; readonly name?: string; readonly label: string[]; readonly limit: string }

export function registerJobs(program: Command): void {
  const definition = program.command('jobs')
    .description('list jobs, newest first')
    .option('--state <state>', 'repeatable', collect, [])
    .option('--team <team>')
    .option('--name <name>')
    .option('--label <key=value>', 'repeatable', collect, [])
    .option('--limit <n>', 'at most so many', '50');
  command<ListOptions>(definition, async ({ client, json }, options) => {
    const query = {
      ...(options.state.length > 0 ? { state: options.state.map((state) => state.toUpperCase()) as Job['state'][] } : {}),
      ...(options.team === undefined ? {} : { team: options.team }),
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.label.length > 0 ? { label: options.label } : {}),
    };
    const jobs = await allItems(limitOf(options.limit), (page) =>
      ask(client.GET('/v1/jobs', { params: { query: { ...query, ...page } } })));
    if (json) return printJson(jobs);
    printTable(['JOB', 'NAME', 'TEAM', 'STATE', 'MEMBERS', 'PROGRESS', 'AGE', 'REASON'], jobs.map((job) => [
      job.id, job.name, job.team, paintState(job.state), String(job.members.total), progressOf(job), ageSince(job.submittedAt), job.reason]));
  });
}

export function limitOf(given: string): number {
  if (!/^[1-9]\d{0,5}$/.test(given)) throw new UsageError(`--limit ${given}: give a whole number from 1 to 999999`);
  return Number(given);
}

export const progressOf = ({ progress }: Job): string => (progress ? `${progress.step}${progress.totalSteps === null ? '' : `/${progress.totalSteps}`}` : '');
