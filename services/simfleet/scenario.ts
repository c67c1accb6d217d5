/** What a simulated fleet is and does: the file that `muster simfleet` takes, format version 1 (docs/simfleet.md). */
import { readFileSync } from 'node:fs';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';
import { nodeNamePattern } from '../fleet/model.ts';

/** One connection a node: more nodes than this belong into a second process. */
export const nodesMax = 5_000;
const msMax = 86_400_000;

const closed = { additionalProperties: false } as const;
const count = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const range = Type.Tuple([Type.Number({ minimum: 0, maximum: msMax }), Type.Number({ minimum: 0, maximum: msMax })]);
const share = Type.Number({ minimum: 0, maximum: 1 });
const oneOf = <const Text extends string>(texts: readonly Text[]) => Type.Unsafe<Text>(Type.Union(texts.map((text) => Type.Literal(text))));
const weight = Type.Number({ minimum: 0, maximum: 1_000_000 });

const Nodes = Type.Object({
  count: count(1, nodesMax),
  prefix: Type.Optional(Type.String({ pattern: nodeNamePattern, maxLength: 50 })),
  devices: Type.Optional(count(0, 64)),
  deviceModel: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  cpuMilli: Type.Optional(count(1, 10_000_000)),
  memoryBytes: Type.Optional(count(1, Number.MAX_SAFE_INTEGER)),
  nodesPerRack: Type.Optional(count(1, nodesMax)),
}, closed);

const Ending = Type.Union([
  Type.Object({ weight, exitCode: count(0, 255) }, closed),
  Type.Object({ weight, signal: Type.String({ pattern: '^SIG[A-Z0-9]{1,12}$' }) }, closed),
  Type.Object({ weight, refused: oneOf(['spawn_failed', 'device_missing', 'disk_full', 'working_directory_missing']) }, closed),
]);

const Program = Type.Object({
  /** from the start order until the process is ready */
  startMs: Type.Optional(range),
  /** from ready to the end; absent: until it is stopped */
  runMs: Type.Optional(range),
  endings: Type.Optional(Type.Array(Ending, { minItems: 1, maxItems: 32 })),
  /** from a stop to the exit, where the program heeds SIGTERM */
  stopMs: Type.Optional(range),
  /** share of members that run on until SIGKILL */
  ignoresStop: Type.Optional(share),
}, closed);

export const faultKinds = ['silence', 'deafness', 'slowness', 'duplicates', 'staleBeats', 'badBeats', 'badAnswers', 'strays', 'restart', 'reboot'] as const;
export type FaultKind = (typeof faultKinds)[number];

const Fault = Type.Object({
  kind: oneOf(faultKinds),
  /** mean time between two of one node */
  everyMs: Type.Number({ minimum: 10, maximum: msMax }),
  /** how long one lasts */
  forMs: Type.Optional(range),
  /** slowness: added to a beat's way */
  delayMs: Type.Optional(range),
  /** share of nodes that have it */
  share: Type.Optional(share),
}, closed);

const File = Type.Object({
  version: Type.Literal(1),
  seed: Type.Optional(count(0, 0xffff_ffff)),
  nodes: Nodes,
  programs: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Program)),
  faults: Type.Optional(Type.Array(Fault, { maxItems: 64 })),
}, closed);

export type ScenarioFile = Static<typeof File>;
export type Ending = Static<typeof Ending>;
export type ProgramScript = Required<Omit<Static<typeof Program>, 'runMs' | 'endings'>> & Pick<Static<typeof Program>, 'runMs'> & { readonly endings: readonly [Ending, ...Ending[]] };
export type FaultScript = Required<Static<typeof Fault>>;

export interface Scenario {
  readonly seed: number;
  readonly nodes: Required<Static<typeof Nodes>>;
  /** by argv[0]; `*` is every other */
  readonly programs: Readonly<Record<string, ProgramScript>>;
  readonly faults: readonly FaultScript[];
}

const check = Compile(File);

export class ScenarioError extends Error {}

/** @throws ScenarioError that names the place, for a file that can't be read or doesn't fit */
export function readScenario(file: string): Scenario {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ScenarioError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return parseScenario(text, file);
}

/** @param text  YAML or JSON; JSON is YAML too */
export function parseScenario(text: string, name = 'scenario'): Scenario {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScenarioError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!check.Check(value)) {
    const first = check.Errors(value)[0];
    throw new ScenarioError(`${name}: ${first ? `${first.instancePath || '/'}: ${first.message}` : 'not a scenario'}`);
  }
  return completeScenario(value);
}

export function completeScenario(file: ScenarioFile): Scenario {
  const { nodes, programs = {}, faults = [] } = file;
  return {
    seed: file.seed ?? 1,
    nodes: { prefix: 'sim', devices: 8, deviceModel: 'virtual-h100', cpuMilli: 64_000, memoryBytes: 2 ** 38, nodesPerRack: 16, ...nodes },
    programs: Object.fromEntries(Object.entries({ '*': {}, ...programs }).map(([name, program]) => [name, completeProgram(program)])),
    faults: faults.map((fault) => ({ forMs: [1_000, 1_000], delayMs: [100, 1_000], share: 1, ...fault })),
  };
}

function completeProgram({ endings = [], ...program }: Static<typeof Program>): ProgramScript {
  const [first = { weight: 1, exitCode: 0 }, ...rest] = endings;
  return { startMs: [5, 50], stopMs: [5, 50], ignoresStop: 0, ...program, endings: [first, ...rest] };
}
