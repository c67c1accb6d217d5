import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from '#services/platform/config.ts';
import { anchorsOf, linksOf, pages, readPage } from './markdown.ts';

it.each(pages)('every link and anchor of %s exists', (page) => {
  const broken = linksOf(readPage(page)).filter((target) => {
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? page : path.join(path.dirname(page), decodeURI(file));
    if (!existsSync(path.join(repositoryRoot, to))) return true;
    return anchor !== undefined && !anchorsOf(readPage(to)).has(anchor);
  });
  expect(broken).toEqual([]);
});

it('a heading has the anchor that GitHub gives it', () => {
  expect([...anchorsOf('# A job waits\n## Rules 1–32, `code`\n## A job waits\n```\n# not one\n```\n')]).toEqual(['a-job-waits', 'rules-132-code', 'a-job-waits-1']);
});

it('a link is found outside of code only', () => {
  expect(linksOf('[a](b.md#c) `[d](e)` [f](https://g)\n```\n[h](i)\n```\n[j](#k)')).toEqual(['b.md#c', '#k']);
});

/** Files that lead people to a section of docs/operations.md. */
const leading = ['services/jobs/view.ts', 'workflows/jobs/details.ts'];

it.each(leading)('every runbook section that %s names is in docs/operations.md', (file) => {
  const source = readFileSync(path.join(repositoryRoot, file), 'utf8');
  const named = [...source.matchAll(/'((?:a|the)-[a-z-]+)'|operations\.md#([a-z][a-z-]*)/g)].map((match) => match[1] ?? match[2]!);
  expect(named.length).toBeGreaterThan(4);
  const anchors = anchorsOf(readPage('docs/operations.md'));
  expect(named.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

/** Codes that a person is shown and asks about, with the type that declares them. */
const shown = [['services/scheduler/model.ts', 'ReasonCode'], ['services/fleet/model.ts', 'RefusalCode']] as const;

it.each(shown)('every code of %s, %s, has a line in docs/operations.md', (file, type) => {
  const declaration = new RegExp(`export type ${type} =([^;]+);`).exec(readFileSync(path.join(repositoryRoot, file), 'utf8'))?.[1] ?? '';
  const codes = [...declaration.matchAll(/'(\w+)'/g)].map((match) => match[1]!);
  expect(codes.length).toBeGreaterThan(3);
  const page = readPage('docs/operations.md');
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
