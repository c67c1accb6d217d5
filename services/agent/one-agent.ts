import path from 'node:path';
import { rmSync } from 'node:fs';
import { claim, readWhole, writeWhole } from './durable-file.ts';
import { identify, isAlive, type ProcessIdentity } from './process-table.ts';

/**
 * Takes the data folder for this process: two agents over one folder would both look after its members.
 *
 * @returns gives it back
 * @throws Error that names the living agent
 */
export function takeDataFolder(dataDir: string): () => void {
  const file = path.join(dataDir, 'agent.json');
  const isFirst = claim(file);
  const holder = isFirst ? undefined : readWhole(file) as ProcessIdentity | undefined;
  if (holder && isAlive(holder)) throw new Error(`agent ${holder.pid} already runs with ${dataDir}`);
  writeWhole(file, identify(process.pid));
  return () => rmSync(file, { force: true });
}
