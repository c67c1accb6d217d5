import { expect, it } from 'vitest';
import { pick, seeded, waitMs } from '#services/simfleet/random.ts';
import { parseScenario, readScenario, ScenarioError } from '#services/simfleet/scenario.ts';

it('a file of YAML, or of JSON, is completed by the documented defaults', () => {
  const yaml = parseScenario('version: 1\nnodes: { count: 3 }\nprograms: { train: { runMs: [10, 20] } }\nfaults: [{ kind: silence, everyMs: 1000 }]');
  expect(yaml).toEqual(parseScenario(JSON.stringify({ version: 1, nodes: { count: 3 }, programs: { train: { runMs: [10, 20] } }, faults: [{ kind: 'silence', everyMs: 1_000 }] })));
  expect(yaml.seed).toBe(1);
  expect(yaml.nodes).toMatchObject({ count: 3, prefix: 'sim', devices: 8 });
  expect(yaml.programs['train']).toMatchObject({ runMs: [10, 20], ignoresStop: 0, endings: [{ exitCode: 0 }] });
  expect(yaml.programs['*']).toBeDefined();
  expect(yaml.faults).toEqual([{ kind: 'silence', everyMs: 1_000, forMs: [1_000, 1_000], delayMs: [100, 1_000], share: 1 }]);
});

it.each([
  ['another version', 'version: 2\nnodes: { count: 1 }'],
  ['an unknown field', 'version: 1\nnodes: { count: 1, gpus: 8 }'],
  ['more nodes than one process takes', 'version: 1\nnodes: { count: 5001 }'],
  ['a fault that does not exist', 'version: 1\nnodes: { count: 1 }\nfaults: [{ kind: fire, everyMs: 100 }]'],
  ['what is no YAML', '{'],
])('%s is refused, with the place', (_what, text) => {
  expect(() => parseScenario(text, 'fleet.yaml')).toThrow(ScenarioError);
  expect(() => parseScenario(text, 'fleet.yaml')).toThrow(/^fleet\.yaml: /);
});

it('a file that is not there is named', () => {
  expect(() => readScenario('/nowhere/fleet.yaml')).toThrow(/\/nowhere\/fleet\.yaml can't be read/);
});

it('one seed and name give one row of numbers, another name another', () => {
  const row = (seed: number, name: string) => Array.from({ length: 5 }, seeded(seed, name));
  expect(row(1, 'a')).toEqual(row(1, 'a'));
  expect(row(1, 'a')).not.toEqual(row(1, 'b'));
  expect(row(1, 'a')).not.toEqual(row(2, 'a'));
});

it('weights and means are kept over many draws', () => {
  const random = seeded(3, 'draws');
  const drawn = Array.from({ length: 10_000 }, () => pick(random, [{ weight: 3, name: 'often' }, { weight: 1, name: 'rarely' }]).name);
  expect(drawn.filter((name) => name === 'often').length / drawn.length).toBeCloseTo(0.75, 1);
  const waits = Array.from({ length: 10_000 }, () => waitMs(random, 100));
  expect(waits.reduce((sum, wait) => sum + wait) / waits.length / 100).toBeCloseTo(1, 1);
});
