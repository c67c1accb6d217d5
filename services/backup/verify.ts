import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Digest } from './backup.ts';
import { BackupError, backupFormat, backupFormatVersion, manifestFile, type Manifest, type Progress } from './model.ts';

/** @throws BackupError `backup_unreadable`, where the folder has no manifest of ours */
export async function readManifest(folder: string): Promise<Manifest> {
  const unreadable = (why: string) => new BackupError('backup_unreadable', `${folder}: ${why}`, 'Give the folder that muster backup wrote.');
  const text = await readFile(path.join(folder, manifestFile), 'utf8').catch((error: unknown) => { throw unreadable(String(error)); });
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch {
    throw unreadable(`${manifestFile} is not JSON`);
  }
  if (manifest.format !== backupFormat) throw unreadable('not a backup of Muster');
  if (manifest.formatVersion !== backupFormatVersion) throw unreadable(`format ${manifest.formatVersion} is not known to this version`);
  if (!Array.isArray(manifest.tables) || manifest.tables.some((table) => path.basename(table.file) !== table.file)) throw unreadable('it names files outside of its folder');
  return manifest as Manifest;
}

/** Reads every file before anything is touched. @throws BackupError `backup_damaged`, naming the first that differs */
export async function verifyFiles(folder: string, manifest: Manifest, onProgress?: Progress): Promise<void> {
  const totalBytes = manifest.tables.reduce((sum, table) => sum + table.bytes, 0);
  let bytes = 0;
  for (const { file, sha256, rows } of manifest.tables) {
    const digest = new Digest((chunk) => {
      bytes += chunk;
      onProgress?.({ phase: 'verify', bytes, totalBytes });
    });
    const damaged = (why: string) => new BackupError('backup_damaged', `${file} ${why}`, 'Restore another backup; this one can not be trusted.');
    await pipeline(createReadStream(path.join(folder, file)), digest, new Writable({ write: (_chunk, _encoding, done) => done() }))
      .catch((error: unknown) => { throw damaged(`can not be read: ${String(error)}`); });
    if (digest.hex() !== sha256) throw damaged('differs from what the manifest says');
    if (digest.lines !== rows) throw damaged(`has ${digest.lines} rows instead of ${rows}`);
  }
}
