import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/** The folders of one home. Nothing of the local stack lies elsewhere, but a Postgres that had to be moved (postgres-place.ts). */
export interface Layout {
  readonly home: string;
  readonly data: string;
  readonly logs: string;
  readonly run: string;
  readonly secrets: string;
}

export function layoutOf(home: string): Layout {
  const at = (name: string): string => path.join(path.resolve(home), name);
  return { home: path.resolve(home), data: at('data'), logs: at('logs'), run: at('run'), secrets: at('secrets') };
}

export function createLayout(home: string): Layout {
  const layout = layoutOf(home);
  for (const dir of [layout.home, layout.data, layout.logs, layout.run]) mkdirSync(dir, { recursive: true });
  mkdirSync(layout.secrets, { recursive: true, mode: 0o700 });
  chmodSync(layout.secrets, 0o700);
  return layout;
}
