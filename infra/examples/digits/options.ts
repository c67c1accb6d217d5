import { parseArgs } from 'node:util';
import { exits, Exit } from './exits.ts';
import { sliceCount } from './sum.ts';

/** What decides the result: a checkpoint is only resumed by a run with the same recipe. */
export interface Recipe {
  seed: number;
  batchSize: number;
  hidden: number[];
  learningRate: number;
}

export interface Options {
  recipe: Recipe;
  steps: number;
  checkpointEverySteps: number;
  progressEverySteps: number;
  stepMs: number;
  connectTimeoutMs: number;
  peerTimeoutMs: number;
  commitWaitMs: number;
  graceMs: number;
  rank: number;
  worldSize: number;
  masterAddress: string;
  masterPort: number;
  /** Identity of the run on the wire: members of another job or epoch are not let in. */
  run: string;
  dir: string | undefined;
  resume: boolean;
}

const flags = {
  steps: { type: 'string', default: '600' },
  batch: { type: 'string', default: '64' },
  hidden: { type: 'string', default: '32' },
  'learning-rate': { type: 'string', default: '0.008' },
  seed: { type: 'string', default: '7' },
  'checkpoint-every': { type: 'string', default: '50' },
  'progress-every': { type: 'string', default: '20' },
  'step-ms': { type: 'string', default: '0' },
  'connect-timeout-ms': { type: 'string', default: '60000' },
  'peer-timeout-ms': { type: 'string', default: '30000' },
  'commit-wait-ms': { type: 'string', default: '120000' },
  'grace-ms': { type: 'string', default: '20000' },
  dir: { type: 'string' },
  resume: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export const usage = `usage: node train.ts [--steps N] [--batch N] [--hidden N[,N…]] [--learning-rate X] [--seed N]
  [--checkpoint-every STEPS] [--progress-every STEPS] [--step-ms MS] [--connect-timeout-ms MS] [--peer-timeout-ms MS]
  [--commit-wait-ms MS] [--grace-ms MS] [--dir FOLDER] [--resume]
Every flag has an environment variable: DIGITS_STEPS, DIGITS_STEP_MS and so on; a flag wins.`;

/**
 * Options from flags, then DIGITS_… variables, then defaults; rank and addresses from the torchrun variables.
 *
 * @throws Exit 64, naming the option, on anything out of its bounds
 */
export function parseOptions(argv: readonly string[], env: NodeJS.ProcessEnv): Options {
  const read = reader(argv, env);
  const worldSize = variable(env, 'WORLD_SIZE', '1', 1, sliceCount);
  if (sliceCount % worldSize !== 0) throw new Exit(exits.usage, `WORLD_SIZE is ${String(worldSize)}; use 1, 2, 4, 8 or 16`);
  const options: Options = {
    recipe: {
      seed: read.integer('seed', 0, 2 ** 32 - 1),
      batchSize: read.integer('batch', sliceCount, 1024),
      hidden: read.integers('hidden', 1, 1024),
      learningRate: read.number('learning-rate', 1e-9, 10),
    },
    steps: read.integer('steps', 1, 10_000_000),
    checkpointEverySteps: read.integer('checkpoint-every', 1, 10_000_000),
    progressEverySteps: read.integer('progress-every', 1, 10_000_000),
    stepMs: read.integer('step-ms', 0, 10_000),
    connectTimeoutMs: read.integer('connect-timeout-ms', 100, 60_000),
    peerTimeoutMs: read.integer('peer-timeout-ms', 100, 600_000),
    commitWaitMs: read.integer('commit-wait-ms', 100, 600_000),
    graceMs: read.integer('grace-ms', 100, 600_000),
    rank: variable(env, 'RANK', '0', 0, worldSize - 1),
    worldSize,
    masterAddress: env['MASTER_ADDR'] ?? '127.0.0.1',
    masterPort: variable(env, 'MASTER_PORT', '29500', 1, 65_535),
    run: `${env['MUSTER_JOB'] ?? 'local'}/${env['MUSTER_EPOCH'] ?? '0'}`,
    dir: read.text('dir'),
    resume: read.boolean('resume'),
  };
  if (options.stepMs >= options.peerTimeoutMs) throw new Exit(exits.usage, '--step-ms must be shorter than --peer-timeout-ms');
  return options;
}

function reader(argv: readonly string[], env: NodeJS.ProcessEnv) {
  const given = parseFlags(argv);
  const text = (name: keyof typeof flags): string | undefined => {
    const flag = given[name];
    if (typeof flag === 'string') return flag;
    const spec = flags[name];
    return env[variableName(name)] ?? ('default' in spec ? String(spec.default) : undefined);
  };
  const number = (name: keyof typeof flags, min: number, max: number) => bounded(`--${name}`, text(name), min, max, false);
  const integer = (name: keyof typeof flags, min: number, max: number) => bounded(`--${name}`, text(name), min, max, true);
  return {
    text,
    number,
    integer,
    integers: (name: keyof typeof flags, min: number, max: number) =>
      (text(name) ?? '').split(',').map((part) => bounded(`--${name}`, part, min, max, true)),
    boolean: (name: keyof typeof flags) => given[name] === true || text(name) === 'true',
  };
}

function parseFlags(argv: readonly string[]): Partial<Record<keyof typeof flags, string | boolean>> {
  const withoutDefaults = Object.fromEntries(Object.entries(flags).map(([name, { type }]) => [name, { type }]));
  try {
    const { values } = parseArgs({ args: [...argv], options: withoutDefaults, strict: true });
    if (values['help'] === true) throw new Exit(exits.done, usage);
    return values;
  } catch (error) {
    if (error instanceof Exit) throw error;
    throw new Exit(exits.usage, `${(error as Error).message}\n${usage}`);
  }
}

function variable(env: NodeJS.ProcessEnv, name: string, fallback: string, min: number, max: number): number {
  return bounded(name, env[name] ?? fallback, min, max, true);
}

function bounded(name: string, text: string | undefined, min: number, max: number, whole: boolean): number {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  const fits = value >= min && value <= max && (!whole || Number.isSafeInteger(value));
  if (!fits) throw new Exit(exits.usage, `${name} is ${JSON.stringify(text)}; expected ${whole ? 'a whole number' : 'a number'} from ${String(min)} to ${String(max)}`);
  return value;
}

function variableName(flag: string): string {
  return `DIGITS_${flag.toUpperCase().replaceAll('-', '_')}`;
}
