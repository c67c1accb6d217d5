import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { configurationFile, renderConfiguration } from '#infra/docs/config-reference.ts';
import { errorsFile, renderErrors } from '#infra/docs/error-reference.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { errorRegistry, type ErrorCode } from '#services/platform/errors.ts';
import { typeOf } from '#services/platform/http-problems.ts';
import { anchorsOf, readPage } from './markdown.ts';

it('docs/configuration.md is what the settings say; `node infra/docs/config-reference.ts` writes it', () => {
  expect(readFileSync(configurationFile, 'utf8')).toBe(renderConfiguration());
});

it('docs/errors.md is what the registry says; `node infra/docs/error-reference.ts` writes it', () => {
  expect(readFileSync(errorsFile, 'utf8')).toBe(renderErrors());
});

it.each(Object.keys(errorRegistry) as ErrorCode[])('the type of %s names its section', (code) => {
  expect(anchorsOf(readPage('docs/errors.md'))).toContain(typeOf(code).split(':').at(-1));
});

/** Where processes read their environment. */
const readers = ['services/platform/config.ts', 'services/agent/settings.ts', 'services/cli/client.ts', 'infra/stack/ports.ts'];

it.each(readers)('every variable that %s reads is in docs/configuration.md', (file) => {
  const read = new Set([...readFileSync(path.join(repositoryRoot, file), 'utf8').matchAll(/\bMUSTER_[A-Z_]*[A-Z]\b/g)].map(([name]) => name));
  expect(read.size).toBeGreaterThan(1);
  const page = readPage('docs/configuration.md');
  expect([...read].filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

it('docs/dependencies.md has a line for each dependency of package.json, and no other', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
  const lines = [...readPage('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);
  expect(lines.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
});
