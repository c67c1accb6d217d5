import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMs = 10 * 60_000;
const pollMs = 100;

/**
 * Runs `work` while no other process holds the same lock file; a holder that died loses it.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, started: startedAt(process.pid), nonce: randomUUID() });
  await take(file, mine);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} mine
 */
async function take(file, mine) {
  const until = Date.now() + waitMs;
  let said = false;
  while (!claim(file, mine)) {
    const holder = read(file);
    if (holder && !isAlive(holder)) steal(file, holder);
    else if (Date.now() > until) throw new Error(`${file} is held by process ${holder?.pid ?? '?'} for too long; if that process is not Muster's set-up, delete the file`);
    else {
      if (!said && holder && Date.now() > until - waitMs + 2_000) {
        process.stderr.write(`  waiting for the set-up that process ${holder.pid} runs\n`);
        said = true;
      }
      await sleep(pollMs);
    }
  }
}

/** A link appears with its content at once, so nobody ever reads a half-written lock. */
function claim(/** @type {string} */ file, /** @type {string} */ mine) {
  const draft = `${file}.${process.pid}.${randomUUID()}`;
  writeFileSync(draft, mine);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Only one process may take away the lock of one dead holder: else a slow one would delete its successor's. */
function steal(/** @type {string} */ file, /** @type {Holder} */ holder) {
  const guard = `${file}.steal.${holder.nonce}`;
  try {
    writeFileSync(guard, '', { flag: 'wx' });
  } catch {
    return;
  }
  if (read(file)?.nonce === holder.nonce) rmSync(file, { force: true });
  rmSync(guard, { force: true });
}

/** @typedef {{ pid: number, started: string, nonce: string }} Holder */

/** @returns {Holder | undefined} */
function read(/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const isAlive = (/** @type {Holder} */ holder) => startedAt(holder.pid) === holder.started && holder.started !== '';

/** Start time in clock ticks since boot, so that a process that got the same number later doesn't count. */
function startedAt(/** @type {number} */ pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
