/**
 * Ends the parts of a home when the process that started them is gone, however it went. It holds the reading end of a
 * pipe whose other end only that process has: end of file means that it no longer exists.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { layoutOf } from './layout.ts';
import { endParts } from './end-parts.ts';
import { readPidFile } from './pid-file.ts';
import { isAlive } from './process-identity.ts';

/** Name of the pid file of the process that owns a home: the stack's supervisor, or a test run. */
export const supervisor = 'supervisor';

const byWord = 'all parts have ended';

/** @returns function that dismisses the guard, to be called when everything has been stopped */
export function startGuard(home: string): () => void {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), home], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  child.unref();
  // 'pipe' is a socket in Node; unref it, so that the guard alone doesn't keep its parent alive
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin.on('error', () => undefined); // the guard itself may have been killed
  return () => child.stdin.end(byWord);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const home = process.argv[2];
  if (home === undefined) throw new Error('usage: guard.ts HOME');
  let words = '';
  process.stdin.setEncoding('utf8');
  for await (const text of process.stdin) words += String(text);
  const layout = layoutOf(home);
  const owner = readPidFile(layout.run, supervisor); // a new owner may already be at work: its parts aren't ours to end
  if (words !== byWord && !(owner && isAlive(owner))) await endParts(layout);
}
