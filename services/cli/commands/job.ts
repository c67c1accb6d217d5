import type { Command } from 'commander';
import { ask, type Job } from '../client.ts';
import { age, paintState, printFacts, printJson } from '../output.ts';
import { command } from '../run.ts';
import { progressOf } from './jobs.ts';

export function registerJob(program: Command): void {
  command(program.command('job').description('show a job: why it is in its state, budgets, progress, links').argument('<job>'), async ({ client, json }, _options, [id = '']) => {
    const job = await ask(client.GET('/v1/jobs/{job}', { params: { path: { job: id } } }));
    if (json) printJson(job);
    else printFacts(factsOf(job));
  });
}

export function factsOf(job: Job): Record<string, string | null> {
  const { members, budgets, spec, waiting, checkpoint } = job;
  return {
    job: job.id,
    name: job.name,
    team: job.team,
    state: `${paintState(job.state)} for ${age(job.stateAgeMs)}`,
    reason: job.reason,
    waiting: waiting && `${waiting.detail} (${waiting.code}, for ${age(waiting.ageMs)})`,
    'not before': job.notBefore,
    members: `${members.total} (accepted ${members.accepted}, ready ${members.ready}, gone ${members.gone})`,
    devices: `${spec.devicesPerMember ?? 0} a member`,
    attempts: `${job.attempts} (epoch ${job.epoch})`,
    failures: `program ${budgets.userFailures.used} of ${budgets.userFailures.max}, infrastructure ${budgets.infrastructureFailures.used} of ${budgets.infrastructureFailures.max}`,
    progress: progressOf(job) && `${progressOf(job)} ${job.progress?.message ?? ''}`.trim(),
    checkpoint: checkpoint && `${checkpoint.id ?? 'none is readable'} (step ${checkpoint.step})`,
    'retry of': job.retryOf,
    submitted: job.submittedAt,
    ended: job.endedAt,
    workflow: job.links.workflow,
    runbook: job.links.runbook,
  };
}
