import { createInterface } from 'node:readline/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { readConfig } from '#services/platform/config.ts';
import { describe } from './error.ts';

interface UpOptions { readonly detach?: true; readonly agents: number; readonly devices: number; readonly racks: number; readonly roles: boolean; readonly json?: true }

const agentsMax = 64;
const devicesMax = 64;
/** exit code of `status` for a stack that doesn't run, as service managers have it */
const notRunning = 3;
const usageError = 2;

/** Adds `up`, `down`, `status`, `doctor` and `reset`. Their code is loaded when they run, so the other commands stay quick. */
export function registerStackCommands(program: Command): void {
  program.command('up')
    .description('start the local stack: Postgres, Temporal, NATS, all roles and agents; Ctrl-C stops it')
    .option('--detach', 'return when everything is ready, and leave it running')
    .option('--agents <n>', 'number of local agents', wholeNumber(0, agentsMax), 4)
    .option('--devices <n>', 'virtual devices of each agent', wholeNumber(0, devicesMax), 8)
    .option('--racks <n>', 'racks that the agents are spread over', wholeNumber(1, agentsMax), 2)
    .option('--no-roles', 'only the services, with the database prepared, to run roles by hand')
    .option('--json', 'print the parts as JSON')
    .action((options: UpOptions) => shown(() => up(options)));
  program.command('down')
    .description('stop the stack that runs in MUSTER_HOME, and the job processes of its agents')
    .option('--json', 'print what was stopped as JSON')
    .action((options: { json?: true }) => shown(() => down(options)));
  program.command('status')
    .description('show the parts of the stack; exit code 0 when all are ready, 1 when some are not, 3 when none runs')
    .option('--json', 'print the parts as JSON')
    .action((options: { json?: true }) => shown(() => status(options)));
  program.command('doctor')
    .description('check machine, programs and stack, and say the remedy for each failure; exit code 1 when a check fails')
    .option('--json', 'print the checks as JSON')
    .action((options: { json?: true }) => shown(() => doctor(options)));
  program.command('reset')
    .description('delete the data of MUSTER_HOME; refused while the stack runs')
    .option('--yes', "don't ask")
    .action((options: { yes?: true }) => shown(() => reset(options)));
}

async function up(options: UpOptions): Promise<void> {
  const { upDetached, upInForeground } = await import('./up.ts');
  const stack = { home: home(), agents: options.agents, devicesPerAgent: options.devices, racks: options.racks, roles: options.roles };
  if (!options.detach) return upInForeground(stack, options.json ?? false);
  const view = await upDetached(stack, ['up', '--agents', String(options.agents), '--devices', String(options.devices),
    '--racks', String(options.racks), ...(options.roles ? [] : ['--no-roles'])]);
  const { showStack } = await import('./show.ts');
  print(options.json ? view : `${showStack(view)}\nStop it with: muster down`);
}

async function down(options: { json?: true }): Promise<void> {
  const { down: stop } = await import('./down.ts');
  const stopped = await stop(home());
  if (options.json) print({ stopped });
  else print(stopped.length > 0 ? `stopped ${stopped.join(', ')}` : `nothing runs in ${home()}`);
}

async function status(options: { json?: true }): Promise<void> {
  const { stackStatus } = await import('./status.ts');
  const found = stackStatus(home());
  if (found.state === 'degraded' || found.state === 'orphaned') process.exitCode = 1;
  if (found.state === 'stopped') process.exitCode = notRunning;
  if (options.json) return print(found);
  if (found.state === 'stopped') return print(`no stack runs in ${home()}; start it with: muster up`);
  if (!found.view) return print(`no supervisor, but left running: ${found.orphans.map((part) => `${part.name} (${part.pid})`).join(', ')}; end them with: muster down`);
  const { showStack } = await import('./show.ts');
  print(showStack(found.view));
}

async function doctor(options: { json?: true }): Promise<void> {
  const { runChecks, showChecks } = await import('./doctor.ts');
  const results = await runChecks(home());
  if (results.some((result) => result.state === 'fail')) process.exitCode = 1;
  print(options.json ? { checks: results } : showChecks(results));
}

async function reset(options: { yes?: true }): Promise<void> {
  const { reset: remove, resettable } = await import('./reset.ts');
  const dirs = resettable(home());
  if (dirs.length === 0) return print(`nothing to delete in ${home()}`);
  if (!options.yes && !(await confirmed(dirs))) {
    process.exitCode = usageError;
    return print('nothing deleted; confirm with --yes');
  }
  print(`deleted ${remove(home()).join(', ')}`);
}

async function confirmed(dirs: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await reader.question(`Delete ${dirs.join(', ')}? [y/N] `)).trim());
  } finally {
    reader.close();
  }
}

/** Prints an error with its remedy instead of a stack trace. */
async function shown(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`muster: ${describe(error)}\n`);
    process.exitCode = 1;
  }
}

function print(what: unknown): void {
  process.stdout.write(`${typeof what === 'string' ? what : JSON.stringify(what, null, 2)}\n`);
}

const home = (): string => readConfig().home;

const wholeNumber = (min: number, max: number) => (text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) throw new InvalidArgumentError(`give a whole number from ${min} to ${max}`);
  return value;
};
