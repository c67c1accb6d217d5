/** Commands that work on the database itself, beside the API: their errors name a remedy, their work shows its progress. */
import { SingleBar } from 'cli-progress';
import type { Command } from 'commander';
import { BackupError, type Progress } from '../backup/model.ts';
import { exitCodes } from './exit-codes.ts';
import { note, printable } from './output.ts';
import { UsageError } from './run.ts';

export function operate<Options extends object>(definition: Command, work: (options: Options, json: boolean, args: string[]) => Promise<void>): void {
  definition.option('--json', 'print one JSON document').action(async (...all: unknown[]) => {
    const self = all.at(-1) as Command;
    const options = self.opts<Options & { json?: boolean }>();
    try {
      await work(options, options.json ?? false, self.args);
    } catch (error) {
      process.exitCode = error instanceof BackupError ? exitCodes.refused : error instanceof UsageError ? exitCodes.usage : exitCodes.jobFailed;
      const message = error instanceof Error ? error.message : String(error);
      const known = error instanceof BackupError ? { code: error.code, remedy: error.remedy } : undefined;
      note(options.json ? JSON.stringify({ title: message, ...known }) : [`muster: ${message}`, ...(known ? [known.remedy] : [])].map(printable).join('\n'));
    }
  });
}

/** On a terminal only: a log file is no place for a bar. */
export function progressBar(wanted: boolean): { readonly show: Progress; readonly stop: () => void } {
  if (!wanted || !process.stderr.isTTY) return { show: () => undefined, stop: () => undefined };
  const bar = new SingleBar({ stream: process.stderr, format: '{phase} [{bar}] {percentage}%', hideCursor: true, clearOnComplete: true });
  let isOn = false;
  return {
    show({ phase, bytes, totalBytes }) {
      if (!isOn) bar.start(totalBytes, bytes, { phase });
      isOn = true;
      bar.setTotal(totalBytes);
      bar.update(bytes, { phase });
    },
    stop() {
      if (isOn) bar.stop();
      isOn = false;
    },
  };
}
