import path from 'node:path';
import type { Command } from 'commander';
import { takeBackup } from '../../backup/backup.ts';
import { readConfig, readOwnerDatabaseUrl } from '../../platform/config.ts';
import { operate, progressBar } from '../operate.ts';
import { print, printJson } from '../output.ts';

export function registerBackup(program: Command): void {
  const definition = program.command('backup').description('copy the database into a folder, while everything runs')
    .option('--to <folder>', 'that does not exist yet; otherwise one named by the time, in backups/ of the home');
  operate<{ to?: string }>(definition, async ({ to }, json) => {
    const { home } = readConfig();
    const folder = path.resolve(to ?? path.join(home, 'backups', new Date().toISOString().replaceAll(/[:.]/g, '-')));
    const bar = progressBar(!json);
    const manifest = await takeBackup({ databaseUrl: readOwnerDatabaseUrl(), folder, onProgress: bar.show }).finally(bar.stop);
    if (json) return printJson({ folder, ...manifest });
    const sum = (of: 'rows' | 'bytes'): number => manifest.tables.reduce((total, table) => total + table[of], 0);
    print(`${folder}`);
    print(`${manifest.tables.length} tables, ${sum('rows')} rows, ${sum('bytes')} bytes; incarnation ${manifest.incarnation}; schema ${manifest.migrations.at(-1)}`);
    print(`not copied: ${manifest.excluded.map(({ table }) => table).join(', ')}`);
  });
}
