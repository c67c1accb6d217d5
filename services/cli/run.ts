/** What all commands share: the connection, `--json`, and how a failure becomes a message and an exit code. */
import type { Command } from 'commander';
import { ask, connect, readConnection, Refused, Unreachable, type Client, type Connection } from './client.ts';
import { exitCodes } from './exit-codes.ts';
import { describeRefusal, note } from './output.ts';

export interface Session {
  readonly client: Client;
  readonly connection: Connection;
  readonly json: boolean;
}

/** A wrong flag or file: exit code 2. */
export class UsageError extends Error {}

type Options = Readonly<Record<string, unknown>> & { readonly json?: boolean };

/**
 * Adds `--json` and runs `work` with a session. `work` returns an exit code, or nothing for 0.
 *
 * @param work  gets the session, the command's options and its arguments
 */
export function command<Opts extends object>(definition: Command, work: (session: Session, options: Opts, args: string[]) => Promise<number | void>): void {
  definition.option('--json', 'print JSON: one document, or one object a line for streams').action(async (...all: unknown[]) => {
    const self = all.at(-1) as Command;
    const options = self.opts<Options>();
    process.exitCode = await outcomeOf(options.json ?? false, async () => {
      const connection = readConnection();
      return (await work({ client: connect(connection), connection, json: options.json ?? false }, options as Opts, self.args)) ?? exitCodes.ok;
    });
  });
}

async function outcomeOf(json: boolean, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refused) {
      note(json ? JSON.stringify(error.problem) : `muster: ${describeRefusal(error)}`);
      return error.problem.status === 404 ? exitCodes.notFound : exitCodes.refused;
    }
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Unreachable ? exitCodes.unreachable : error instanceof UsageError ? exitCodes.usage : exitCodes.jobFailed;
    const remedy = error instanceof Unreachable ? 'Is the stack up? `muster status` shows it; MUSTER_API_URL names another address.' : undefined;
    note(json ? JSON.stringify({ title: message, ...(remedy ? { remedy } : {}) }) : `muster: ${message}${remedy ? `\n${remedy}` : ''}`);
    return code;
  }
}

export { ask };
