import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot, toolsDir } from './paths.js';
import { run } from './run.js';

const lockFile = path.join(repositoryRoot, 'package-lock.json');
const installedFile = path.join(repositoryRoot, 'node_modules', '.package-lock.json');
/** Outside node_modules: `npm ci` deletes that folder first, and an aborted run must not look finished. */
const stampFile = path.join(toolsDir, 'packages.sha256');

/** Whether node_modules is what the lock file asks for. Cheap: one hash while nothing changed. */
export function packagesAreCurrent() {
  if (!existsSync(installedFile)) return false;
  const digest = lockDigest();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === digest) return true;
  if (!installedMatchesLock()) return false;
  writeStamp(digest);
  return true;
}

/** `npm ci` with the development packages, whatever NODE_ENV says: the tests need them. */
export async function installPackages() {
  const folder = path.join(repositoryRoot, 'node_modules');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${folder} is a link, and npm ci would empty what it points to; remove the link`);
  }
  const digest = lockDigest();
  await run('installing packages (npm ci)', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: repositoryRoot });
  writeStamp(digest);
}

/** An install made by hand has no stamp; npm's own record of node_modules tells whether it is complete. */
function installedMatchesLock() {
  const wanted = packagesOf(lockFile);
  const installed = packagesOf(installedFile);
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '' || entry.link) return true;
    const found = installed[place];
    return found ? found.version === entry.version : entry.optional === true || entry.devOptional === true;
  });
}

/** @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean, link?: boolean }>} */
const packagesOf = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {};

const lockDigest = () => createHash('sha256').update(readFileSync(lockFile)).digest('hex');

function writeStamp(/** @type {string} */ digest) {
  mkdirSync(toolsDir, { recursive: true });
  writeFileSync(stampFile, digest);
}
