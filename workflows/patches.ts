/**
 * Changes of workflow code that a recorded history can tell apart. One id, one call site, outside loops: `patched` is
 * not remembered within a run (stack.md 3.6). Life of an entry: patched → deprecatePatch → deleted, each a release of
 * its own, after the runs of the one before have ended.
 */
export interface Patch {
  readonly id: string;
  /** version of Muster */
  readonly added: string;
  readonly reason: string;
}

export const patches = [] as const satisfies readonly Patch[];
