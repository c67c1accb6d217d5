import { copyFileSync, existsSync, readdirSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import type { Layout } from './layout.ts';

const logBytesMax = 16 * 1024 * 1024;
const checkEveryMs = 60_000;

/**
 * Keeps each log and its predecessor below a bound, however long the stack runs. A log is cut in place: its process
 * holds it open for appending and goes on at the new end.
 *
 * @returns function that ends the watch
 */
export function limitLogs(layout: Layout): () => void {
  const timer = setInterval(() => {
    for (const name of readdirSync(layout.logs)) if (name.endsWith('.log')) cutLog(path.join(layout.logs, name));
  }, checkEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Moves the content of a log that has grown too large to `<log>.1`. */
export function cutLog(file: string, bytesMax = logBytesMax): void {
  if (!existsSync(file) || statSync(file).size <= bytesMax) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}
