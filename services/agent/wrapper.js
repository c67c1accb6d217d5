/**
 * The small process above each member. It starts the member in a session of its own, with its output going straight
 * into files, waits for it and leaves an atomic exit file. It outlives the agent: the agent's kill -9 loses no exit
 * code. Plain JavaScript with few imports, because each start of a member waits for it (30 ms; 80 ms as TypeScript).
 *
 * `node wrapper.js <member folder>`; orders stand in `spawn.json` there. The job's secrets come in the environment, so that
 * none is in a file or an argument list.
 */
import { spawn } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.argv[2] ?? '';
const at = (/** @type {string} */ name) => path.join(folder, name);
/** @type {import('./member-folder.ts').SpawnOrder} */
const order = JSON.parse(readFileSync(at('spawn.json'), 'utf8'));
const secretPrefix = 'MUSTER_SECRET_OF_';
const secrets = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (name.startsWith(secretPrefix) ? [[name.slice(secretPrefix.length), value]] : [])));
/** @type {Promise<void> | undefined} set once the lease is over */
let kill;

for (const name of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(name, () => undefined); // only the agent ends members

if (!takeClaim()) process.exit(0);
startMember();

/** One process of all that ever try may start this member (P6). */
function takeClaim() {
  try {
    closeSync(openSync(at('claim'), 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

function startMember() {
  try {
    const [program = '', ...args] = order.argv;
    const stdout = openSync(at('stdout'), 'a', 0o600);
    const stderr = openSync(at('stderr'), 'a', 0o600);
    const child = spawn(program, args, { cwd: order.cwd, env: { ...order.env, ...secrets }, detached: true, stdio: ['ignore', stdout, stderr] });
    closeSync(stdout);
    closeSync(stderr);
    child.once('error', failed);
    if (child.pid === undefined) return;
    const leader = { pid: child.pid, startTicks: startTicks(child.pid) };
    write('pid.json', { ...leader, wrapper: { pid: process.pid, startTicks: startTicks(process.pid) } });
    child.once('exit', (exitCode, signal) => void finish({ exitCode, signal }));
    if (order.leaseFile !== null) watchLease(order.leaseFile, leader);
  } catch (error) {
    failed(error);
  }
}

/** @param {unknown} error */
function failed(error) {
  const { code = 'UNKNOWN', message = String(error) } = /** @type {{ code?: string, message?: string }} */ (error);
  void finish({ exitCode: null, signal: null, error: { code, message } });
}

/** @param {object} exit */
async function finish(exit) {
  await kill;
  write('exit.json', { ...exit, leaseEnded: kill !== undefined });
  process.exit(0);
}

/**
 * For `exclusive` members: kills them when the lease is over, even if the agent is dead (P20). The agent renews by
 * replacing the file; times are of the machine's monotonic clock, which no clock change moves.
 *
 * @param {string} leaseFile
 * @param {{ pid: number, startTicks: string }} leader
 */
function watchLease(leaseFile, leader) {
  const restMs = leaseEnd(leaseFile) - Number(process.hrtime.bigint() / 1_000_000n);
  if (restMs > 0) setTimeout(watchLease, Math.min(restMs, 60_000), leaseFile, leader);
  else kill = killMember(leader);
}

/** @param {string} leaseFile */
function leaseEnd(leaseFile) {
  try {
    return Number(JSON.parse(readFileSync(leaseFile, 'utf8')).untilMonotonicMs);
  } catch {
    return 0; // no lease that can be read is no lease
  }
}

/** @param {{ pid: number, startTicks: string }} leader */
async function killMember(leader) {
  const { signalMember } = await import('./process-table.ts'); // loaded only here: it costs a start 50 ms
  while (signalMember(order.marks, leader, 'SIGKILL') > 0) await new Promise((resolve) => { setTimeout(resolve, 20); });
}

/** @param {number} pid */
function startTicks(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

/** @param {string} name @param {object} value */
function write(name, value) {
  const draft = at(`${name}.draft`);
  const handle = openSync(draft, 'w', 0o600);
  writeFileSync(handle, `${JSON.stringify(value)}\n`);
  if (name === 'exit.json') fsyncSync(handle);
  closeSync(handle);
  renameSync(draft, at(name));
}
