import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#services/platform/config.ts';
import { readPage } from './markdown.ts';

const page = readPage('docs/architecture.md');
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const inRepository = (file: string): string => path.join(repositoryRoot, file);

/** `a/{b,c}` names two files. */
function expand(name: string): string[] {
  const braces = /\{([^}]+)\}/.exec(name);
  return braces ? braces[1]!.split(',').map((part) => name.replace(braces[0], part)) : [name];
}

const namedIn = (text: string): string[] => [...text.matchAll(/`((?:unit|property|integration|workflow|replay|fault|e2e)\/[^`]+)`/g)]
  .flatMap(([, name]) => expand(name!)).map((name) => `test/${name}${name.endsWith('.ts') || name.endsWith('/') ? '' : '.test.ts'}`);

it.each(['The laws and what holds them', 'Protocol rules and their tests', 'What happens when a part is away'])('each test that "%s" names is there', (title) => {
  const files = namedIn(section(title));
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((file) => !existsSync(inRepository(file)))).toEqual([]);
});

const rules = [...section('Protocol rules and their tests').matchAll(/^\| (P\d+(?:, P\d+)*) \|[^|]+\| (.+) \|$/gm)].map(([, ids, tests]) => ({ ids: ids!.split(', '), tests: tests! }));

it.each(rules.flatMap(({ ids, tests }) => ids.map((id) => [id, tests] as const)))('%s is named by its tests', (id, tests) => {
  const mute = namedIn(tests).filter((file) => !new RegExp(`\\b${id}\\b`).test(readFileSync(inRepository(file), 'utf8')));
  expect(mute).toEqual([]);
});

it('rules P1 to P32 have a line each', () => {
  const numbers = rules.flatMap(({ ids }) => ids.map((id) => Number(id.slice(1))));
  expect(numbers).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
});

it('laws 1 to 12 have a line each', () => {
  expect([...section('The laws and what holds them').matchAll(/^\| (\d+) /gm)].map((match) => Number(match[1]))).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
});

it('every table of the schema stands in a room', () => {
  const tables = [...readFileSync(inRepository('migrations/schema.sql'), 'utf8').matchAll(/^create table (\w+) /gm)].map((match) => match[1]!);
  expect(tables.length).toBeGreaterThan(20);
  const rooms = section('Tables by room');
  expect(tables.filter((table) => !rooms.includes(`\`${table}\``))).toEqual([]);
});

it('every room of services stands in the tree', () => {
  const tree = section('Rooms and the import rule');
  expect(readdirSync(inRepository('services')).filter((room) => !tree.includes(`services/${room}/`))).toEqual([]);
});
