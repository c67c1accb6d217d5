import { randomUUID } from 'node:crypto';
import { Option, type Command } from 'commander';
import { ask } from '../client.ts';
import { printLogs } from '../log-view.ts';
import { note, print, printJson } from '../output.ts';
import { command } from '../run.ts';
import { buildSpec, collect, type SpecFlags } from '../spec-flags.ts';
import { exitCodeOf, interruptible, narrate, untilEnded } from '../watch.ts';

type SubmitOptions = SpecFlags & { readonly wait?: boolean; readonly follow?: boolean; readonly idempotencyKey?: string };

/** The last output of a member comes within seconds of its end; where logs are away, the end of the job still counts. */
const logsLateMs = 15_000;

export function registerSubmit(program: Command): void {
  const definition = program.command('submit')
    .description('submit a job from flags, a file, or both; flags win')
    .argument('[argv...]', 'program and arguments, after --')
    .option('-f, --file <file>', 'specification as YAML or JSON; - reads standard input')
    .option('--name <name>', 'name of the job')
    .option('--team <team>')
    .option('--members <n>', 'gang size')
    .option('--devices <n>', 'devices a member')
    .option('--device-model <model>', 'any of these models; repeatable', collect, [])
    .option('--cpu <cores>', 'cores a member, e.g. 0.5')
    .option('--memory <size>', 'memory a member, e.g. 512MiB')
    .option('--env <NAME=value>', 'repeatable', collect, [])
    .option('--workdir <path>', 'working directory on the node; a relative path is resolved here')
    .option('--label <key=value>', 'repeatable', collect, [])
    .option('--node-selector <key=value>', 'labels that a node must have; repeatable', collect, [])
    .option('--topology <level[:mode]>', 'region, zone, pod, rack, nvlink or node; mode required (default) or preferred')
    .addOption(new Option('--priority <class>').choices(['low', 'normal', 'high']))
    .option('--time-limit <time>', 'e.g. 90s, 10m, 2h')
    .option('--queue-deadline <time>', 'fail, where it has not started by then')
    .option('--preemptible')
    .option('--exclusive', 'never two epochs at once')
    .addOption(new Option('--readiness <how>').choices(['start', 'signal']))
    .option('--user-retries <n>', 'restarts after failures of the program')
    .option('--infra-retries <n>', 'restarts after failures of nodes')
    .option('--backoff <time>', 'first back-off')
    .option('--checkpoint-interval <time>')
    .option('--grace <time>', 'from SIGTERM to SIGKILL')
    .option('--idempotency-key <key>', 'repeating the command with the same key submits once')
    .option('--wait', 'wait for the end; exit code 1 where it did not succeed')
    .option('--follow', 'print the logs while waiting');
  command<SubmitOptions>(definition, async ({ client, connection, json }, options, argv) => {
    const body = await buildSpec(options, argv);
    const job = await ask(client.POST('/v1/jobs', { body, params: { header: { 'idempotency-key': options.idempotencyKey ?? randomUUID() } } }));
    if (!options.wait && !options.follow) {
      if (json) printJson(job);
      else print(job.id);
      return;
    }
    return interruptible(async (signal) => {
      note(`${job.id}  submitted; Ctrl-C leaves it running`);
      const logsOver = new AbortController();
      const followed = options.follow ? printLogs(connection, job.id, {}, json, AbortSignal.any([signal, logsOver.signal]), true) : Promise.resolve();
      const view = narrate();
      const ended = await untilEnded(client, job.id, signal, json || options.follow ? undefined : view.show).finally(view.stop);
      const late = setTimeout(() => logsOver.abort(), logsLateMs);
      await followed.finally(() => clearTimeout(late));
      if (!ended) return;
      if (json) printJson(ended, !options.follow);
      else note(`${ended.id}  ${ended.state}  ${ended.reason}`);
      return exitCodeOf(ended);
    });
  });
}
