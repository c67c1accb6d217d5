/** `muster`: commands for people and scripts. Each command stands in a file of its own; docs/cli.md documents them. */
import { Command, CommanderError } from 'commander';
import { registerStackCommands } from '#infra/stack/commands.ts';
import { registerAttempts } from './commands/attempts.ts';
import { registerAudit } from './commands/audit.ts';
import { registerBackup } from './commands/backup.ts';
import { registerCancel } from './commands/cancel.ts';
import { registerCheckpoints } from './commands/checkpoints.ts';
import { registerDemo } from './commands/demo.ts';
import { registerDeadLetters } from './commands/dead-letters.ts';
import { registerDrain } from './commands/drain.ts';
import { registerEvents } from './commands/events.ts';
import { registerJob } from './commands/job.ts';
import { registerJobs } from './commands/jobs.ts';
import { registerKeys, registerOrgs, registerRoles } from './commands/keys.ts';
import { registerLogs } from './commands/logs.ts';
import { registerCordons, registerEnrolmentToken, registerNodes, registerRotation } from './commands/nodes.ts';
import { registerRestore } from './commands/restore.ts';
import { registerRetry } from './commands/retry.ts';
import { registerSecrets } from './commands/secrets.ts';
import { registerScripts } from './commands/scripts.ts';
import { registerSimfleet } from './commands/simfleet.ts';
import { registerSubmit } from './commands/submit.ts';
import { registerTeams } from './commands/teams.ts';
import { registerTop } from './commands/top.ts';
import { exitCodes } from './exit-codes.ts';

/** The whole program, for `muster` and for tests that ask it about its commands. */
export function createProgram(): Command {
  const program = new Command('muster')
    .description('Control plane for GPU fleets')
    .addHelpText('after', '\nExit codes: 0 ok, 1 failed, 2 usage, 3 not reachable, 4 refused, 5 not found, 130 interrupted.')
    .showHelpAfterError('(run with --help for the options)')
    .exitOverride();
  program.commandsGroup('Stack:');
  registerStackCommands(program);
  registerDemo(program);
  registerBackup(program);
  registerRestore(program);
  program.commandsGroup('Jobs:');
  for (const register of [registerSubmit, registerJobs, registerJob, registerAttempts, registerLogs, registerCheckpoints, registerCancel, registerRetry]) register(program);
  program.commandsGroup('Fleet:');
  for (const register of [registerTop, registerNodes, registerCordons, registerDrain, registerEnrolmentToken, registerRotation, registerTeams, registerEvents, registerDeadLetters, registerAudit]) register(program);
  program.commandsGroup('Access:');
  for (const register of [registerOrgs, registerKeys, registerRoles, registerSecrets]) register(program);
  program.commandsGroup('Programs:');
  registerScripts(program);
  registerSimfleet(program);
  for (const command of program.commands) command.exitOverride();
  return program;
}

async function run(): Promise<void> {
  // A reader that went away (`muster jobs | head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => { if (error.code === 'EPIPE') process.exit(exitCodes.ok); });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

if (import.meta.main) await run();
