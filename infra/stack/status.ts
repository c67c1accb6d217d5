import { supervisor } from './guard.ts';
import { layoutOf } from './layout.ts';
import { readView, type StackView } from './part.ts';
import { livingParts } from './pid-file.ts';

export interface StackStatus {
  readonly state: 'running' | 'degraded' | 'stopped' | 'orphaned';
  readonly view: StackView | null;
  /** parts that run without a supervisor: `muster down` ends them */
  readonly orphans: readonly { readonly name: string; readonly pid: number }[];
}

/** What runs in a home, from pid files and the supervisor's last word; asks no part. */
export function stackStatus(home: string): StackStatus {
  const layout = layoutOf(home);
  const living = livingParts(layout.run);
  const view = readView(layout) ?? null;
  if (!living.some((part) => part.name === supervisor)) {
    const orphans = living.map(({ name, pid }) => ({ name, pid }));
    return { state: orphans.length > 0 ? 'orphaned' : 'stopped', view: null, orphans };
  }
  const isWell = view?.parts.every((part) => part.state === 'ready' || part.state === 'external') ?? false;
  return { state: isWell ? 'running' : 'degraded', view, orphans: [] };
}
