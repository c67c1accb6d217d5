import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { restoreBackup, type RestorePlan } from '../../backup/restore.ts';
import { readConfig, readOwnerDatabaseUrl } from '../../platform/config.ts';
import { openLog } from '../../platform/log.ts';
import { connectControl, type Bus } from '../../platform/nats/bus.ts';
import { operate, progressBar } from '../operate.ts';
import { note, print, printJson } from '../output.ts';
import { UsageError } from '../run.ts';

const natsWaitMs = 5_000;

export function registerRestore(program: Command): void {
  const definition = program.command('restore').description('replace the database by a backup; refused while roles run')
    .argument('<folder>', 'that muster backup wrote')
    .option('--yes', 'do not ask')
    .option('--above-incarnation <n>', 'the highest that was used, where nothing else says it');
  operate<{ yes?: true; aboveIncarnation?: string }>(definition, async (options, json, [folder = '']) => {
    const config = readConfig();
    const log = openLog('restore', 'error');
    const bus = await connectControl(config, log, 'restore', AbortSignal.timeout(natsWaitMs)).catch(() => undefined);
    if (!bus) note('muster: NATS does not answer: the incarnation is chosen by the database and the file of this machine alone');
    const bar = progressBar(!json);
    const restored = await restoreBackup({
      folder: path.resolve(folder), databaseUrl: readOwnerDatabaseUrl(), config, log, bus, onProgress: bar.show, ...above(options.aboveIncarnation),
      confirm: async (plan) => { bar.stop(); return options.yes === true || await ask(plan); },
    }).finally(() => { bar.stop(); return closed(bus); });
    const { manifest, incarnation, migrated } = restored;
    if (json) return printJson({ folder: path.resolve(folder), takenAt: manifest.takenAt, clusterId: manifest.clusterId, incarnation, migrated });
    print(`restored the state of ${manifest.takenAt} as incarnation ${incarnation}${migrated.length > 0 ? `, and applied ${migrated.join(', ')}` : ''}`);
    print('Start the roles. Nothing is placed until the agents were heard: muster top shows it; docs/backup-and-restore.md says what becomes of jobs.');
  });
}

function above(text: string | undefined): { aboveIncarnation?: number } {
  if (text === undefined) return {};
  if (!/^[0-9]{1,7}$/.test(text)) throw new UsageError('--above-incarnation takes a whole number');
  return { aboveIncarnation: Number(text) };
}

/** Without a terminal nobody can answer: then it is not confirmed. */
async function ask({ manifest, replacedJobs, incarnation }: RestorePlan): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const what = replacedJobs === null ? 'the empty database' : `the database with its ${replacedJobs} jobs`;
  const answer = await terminal.question(`Replace ${what} by the state of ${manifest.takenAt}, as incarnation ${incarnation}? What happened since is forgotten. (yes/no) `);
  terminal.close();
  return answer.trim() === 'yes';
}

async function closed(bus: Bus | undefined): Promise<void> {
  await bus?.close();
}
