import type { Layout } from './layout.ts';
import { endMembers } from './members.ts';
import { livingParts, stopProcess } from './pid-file.ts';

/** Order numbers from which on a part is an agent; job processes end right after the last agent. */
export const agentOrder = 20;

/**
 * Ends every part of this home that still runs, whoever started it, in the reverse of the order of their start.
 *
 * @param except  parts to leave alone
 * @returns what was ended
 */
export async function endParts(layout: Layout, except: (name: string) => boolean = () => false): Promise<string[]> {
  const ended: string[] = [];
  const parts = livingParts(layout.run).filter((part) => !except(part.name));
  const end = async (part: (typeof parts)[number]): Promise<void> => {
    await stopProcess(part);
    ended.push(part.name);
  };
  await Promise.all(parts.filter((part) => part.order >= agentOrder).map(end));
  const members = await endMembers(layout.home);
  if (members > 0) ended.push(`${members} job process${members === 1 ? '' : 'es'}`);
  for (const order of [...new Set(parts.map((part) => part.order))].filter((order) => order < agentOrder)) {
    await Promise.all(parts.filter((part) => part.order === order).map(end));
  }
  return ended;
}
