import { spawn } from 'node:child_process';

const firstLineAfterMs = 2_000;
const nextLineEveryMs = 10_000;
const keptOutputBytes = 64 * 1024;

/**
 * Runs a program to its end and says so on stderr when it takes more than two seconds.
 *
 * @param {string} what what a reader sees while it waits, for instance "installing packages (npm ci)"
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} standard output
 * @throws {Error} with the last lines of the output, when the program can't start or ends with another code than 0
 */
export async function run(what, program, args, options = {}) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let all = '';
  const keep = (/** @type {string} */ text) => { all = (all + text).slice(-keptOutputBytes); };
  child.stdout.setEncoding('utf8').on('data', (text) => { out += text; keep(text); });
  child.stderr.setEncoding('utf8').on('data', keep);
  const code = await withProgress(what, new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal));
  }));
  if (code !== 0) throw new Error(`${what}: \`${program} ${args.join(' ')}\` ended with ${code}\n${lastLines(all, 15)}`);
  return out;
}

/**
 * Awaits `work`; prints a line after two seconds, then every ten, and one at the end.
 *
 * @template T
 * @param {string} what
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(what, work) {
  const startMs = performance.now();
  const seconds = () => Math.round((performance.now() - startMs) / 1000);
  let said = false;
  const say = () => {
    process.stderr.write(said ? `  … ${what}: ${seconds()} s\n` : `  ${what} …\n`);
    said = true;
    timer = setTimeout(say, nextLineEveryMs);
  };
  let timer = setTimeout(say, firstLineAfterMs);
  try {
    const result = await work;
    if (said) process.stderr.write(`  ${what}: done in ${seconds()} s\n`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} text
 * @param {number} count
 */
const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');
