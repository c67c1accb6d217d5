import { existsSync, rmSync } from 'node:fs';
import { StackError } from './error.ts';
import { layoutOf } from './layout.ts';
import { livingParts } from './pid-file.ts';
import { movedDir } from './postgres-place.ts';

/** The folders that `reset` deletes: data, pid files and the secrets that belong to the data. Logs and programs stay. */
export function resettable(home: string): string[] {
  const layout = layoutOf(home);
  return [layout.data, layout.run, layout.secrets, movedDir(home)].filter((dir) => existsSync(dir));
}

/** @throws StackError while a part still runs */
export function reset(home: string): string[] {
  const living = livingParts(layoutOf(home).run);
  if (living.length > 0) {
    throw new StackError(`${living.map((part) => part.name).join(', ')} still running in ${home}`, 'Stop it with `muster down` first.');
  }
  const dirs = resettable(home);
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  return dirs;
}
