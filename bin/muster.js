#!/usr/bin/env node
// Launcher: sets the checkout up where needed, then runs services/cli/main.ts with Node 24 and the same arguments.
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { repositoryRoot, toolsDir } from '../infra/setup/paths.js';
import { setUp } from '../infra/setup/setup.js';

const oldestNodeMajor = 20;

if (Number(process.versions.node.split('.')[0]) < oldestNodeMajor) {
  process.stderr.write(`muster: needs Node ${oldestNodeMajor} or newer to set itself up, found ${process.version}\n`);
  process.exit(1);
}

try {
  launch(await setUp());
} catch (error) {
  process.stderr.write(`muster: set-up failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** Signals that the terminal or a supervisor sends to us are the child's business; we stay until it has ended. */
function launch(/** @type {string} */ node) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), process.env.PATH].filter(Boolean).join(path.delimiter),
    MUSTER_LAUNCHER_PID: String(process.pid),
    // a third less CPU for each of the dozen processes that a stack starts
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(toolsDir, 'compile-cache'),
  };
  const main = path.join(repositoryRoot, 'services', 'cli', 'main.ts');
  const child = spawn(node, [main, ...process.argv.slice(2)], { env, stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.once('error', (error) => {
    process.stderr.write(`muster: can't run ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? os.constants.signals[signal] : 0);
  });
}
