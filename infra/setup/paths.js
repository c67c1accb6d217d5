import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the checkout. */
export const repositoryRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Fetched programs belong to the checkout that pins them, not to `MUSTER_HOME`: several homes share one copy. */
export const toolsDir = path.join(repositoryRoot, '.muster', 'tools');
