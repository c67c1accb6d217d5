/** Files that are whole or absent after any crash. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Survives a kill -9 of the writer: written aside, then renamed. Power loss may lose it; then the processes are lost too. */
export function writeWhole(file: string, value: unknown, mode = 0o600): void {
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode });
  renameSync(draft, file);
}

/** Survives power loss too: file and folder are flushed before it returns (P6). */
export function writeDurably(file: string, value: unknown, mode = 0o600): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    const handle = openSync(draft, 'w', mode);
    try {
      writeFileSync(handle, `${JSON.stringify(value)}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  flushFolder(path.dirname(file));
}

export function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes the folders of `parts` below `root`, each flushed into its parent. */
export function makeFoldersDurably(root: string, parts: readonly string[]): string {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  let folder = root;
  for (const part of parts) {
    const parent = folder;
    folder = path.join(parent, part);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    flushFolder(parent);
  }
  return folder;
}

/** The value of a file, or undefined where it is absent or torn. */
export function readWhole(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Takes `file` for the caller: true for exactly one of all processes that ever try. */
export function claim(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
