/** Commands that are a program of their own, run with this Node and the rest of the arguments. */
import path from 'node:path';
import type { Command } from 'commander';
import { execa } from 'execa';
import { repositoryRoot } from '../../platform/config.ts';
import { exitCodes } from '../exit-codes.ts';

const scripts = [
  { name: 'agent', file: 'services/roles/agent.ts', description: 'run the agent of this node' },
  { name: 'gate', file: 'test/gate.ts', description: 'check types, lint and import rule, and run all tests; arguments name test files' },
  { name: 'bench', file: 'test/bench/main.ts', description: 'measure; the argument names the bench' },
  { name: 'openapi', file: 'infra/openapi/write.ts', description: 'write docs/openapi.json and the typed client from the routes' },
] as const;

export function registerScripts(program: Command): void {
  for (const { name, file, description } of scripts) {
    program.command(name).description(description).argument('[args...]').allowUnknownOption().action(async (args: string[]) => {
      const child = execa(process.execPath, [path.join(repositoryRoot, file), ...args], { stdio: 'inherit', reject: false, cleanup: true });
      // The terminal signals the whole group; a supervisor only us.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
      const { exitCode } = await child;
      process.exitCode = exitCode ?? exitCodes.interrupted;
    });
  }
}
