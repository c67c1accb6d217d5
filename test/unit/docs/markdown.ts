/** What a reader of the pages can follow: links, and the anchors that GitHub gives to headings. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '#services/platform/config.ts';

/** Pages, relative to the root of the checkout. */
export const pages: readonly string[] = [
  'README.md', 'CHANGELOG.md',
  ...readdirSync(path.join(repositoryRoot, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md')).map((file) => path.join('docs', file)),
].sort();

export const readPage = (page: string): string => readFileSync(path.join(repositoryRoot, page), 'utf8');

const withoutCode = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, (code) => 'x'.repeat(code.length));

/** Targets of links that stay within the repository. */
export function linksOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!).filter((target) => !/^[a-z]+:/.test(target));
}

export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of markdown.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const base = title.trim().toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let anchor = base;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${base}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}
