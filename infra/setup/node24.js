import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toolsDir } from './paths.js';
import { run } from './run.js';

export const nodeVersion = '24.21.0';
const minimumMajor = 24;
const folder = path.join(toolsDir, 'node24');
const platformPackage = `node-${process.platform}-${process.arch}`;
/** `node` links its program to bin/ by an install script; the platform's package holds it without any script. */
const places = [
  path.join(folder, 'node_modules', 'node', 'bin', 'node'),
  path.join(folder, 'node_modules', platformPackage, 'bin', 'node'),
];

/** Path of a Node that runs Muster: the present one, or the fetched one, or undefined when it has to be fetched. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= minimumMajor) return process.execPath;
  return places.find((file) => existsSync(file));
}

/**
 * Fetches the npm package `node` at its pinned version.
 *
 * npm ≥ 11.19 runs install scripts only for packages that `allowScripts` approves, older ones ignore that key.
 * Where scripts are off altogether, the platform's package is installed instead: it needs none.
 */
export async function installNode() {
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, description: 'Node for Muster, fetched by its set-up', allowScripts: { node: true } };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await install(`node@${nodeVersion}`);
  if (!works(places[0])) await install(`${platformPackage}@${nodeVersion}`);
  const found = places.find(works);
  if (!found) throw new Error(`the fetched Node ${nodeVersion} doesn't run on this machine (${process.platform} ${process.arch}); install Node 24 and put it first on PATH`);
  return found;
}

const install = (/** @type {string} */ what) => run(`fetching Node ${nodeVersion}`, 'npm',
  ['install', '--save-exact', '--ignore-scripts=false', '--no-audit', '--no-fund', what], { cwd: folder });

/** @returns {boolean} */
function works(/** @type {string | undefined} */ file) {
  if (!file || !existsSync(file)) return false;
  return spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${nodeVersion}`;
}
