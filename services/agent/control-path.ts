import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import type { MemberKey } from '#services/fleet/model.ts';
import { keyText } from './member-folder.ts';

/** A Unix socket's path, with its final NUL, has 108 bytes on Linux and 104 on macOS. */
const pathBytesMax = 103;
const nameBytes = '/0123456789abcdef.sock'.length;

/**
 * The folder of the control sockets: the wanted one, or, where its path is too long for a socket, one below the
 * temporary folder that only this user can enter. The same for each process of this agent.
 */
export function prepareControlFolder(wanted: string): string {
  const folder = Buffer.byteLength(wanted) + nameBytes <= pathBytesMax
    ? wanted : path.join(tmpdir(), `muster-${userInfo().uid}-${digest(wanted)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== userInfo().uid) throw new Error(`${folder} belongs to another user; set MUSTER_AGENT_RUN_DIR to a short path of your own`);
  chmodSync(folder, 0o700);
  return folder;
}

export const controlPath = (folder: string, key: MemberKey): string => path.join(folder, `${digest(keyText(key))}.sock`);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
