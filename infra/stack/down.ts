import { endParts } from './end-parts.ts';
import { supervisor } from './guard.ts';
import { layoutOf } from './layout.ts';
import { memberProcesses } from './members.ts';
import { isGone, livingParts, removePidFile } from './pid-file.ts';

/**
 * Stops the stack of a home, wherever it was started, and waits for it.
 *
 * @returns what was stopped, in the order in which it was
 */
export async function down(home: string): Promise<string[]> {
  const layout = layoutOf(home);
  const before = livingParts(layout.run);
  const owner = before.find((part) => part.name === supervisor);
  if (!owner) return endParts(layout);
  const members = memberProcesses(home).filter(({ kind }) => kind === 'member').length;
  process.kill(owner.pid, 'SIGTERM');
  const ended = before.filter((part) => part.name !== supervisor).map((part) => part.name);
  if (members > 0) ended.push(`${members} job process${members === 1 ? '' : 'es'}`);
  if (!(await isGone(owner, owner.stopTimeoutMs))) await endParts(layout);
  removePidFile(layout.run, supervisor);
  return [...ended, supervisor];
}
