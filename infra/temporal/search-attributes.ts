/**
 * Search attributes of Muster's workflows (design.md §7): registered by the local stack, checked at worker start.
 * Temporal allows ten of type Keyword on SQLite and Postgres.
 */
export const searchAttributes = {
  MusterJob: 'Keyword',
  MusterTeam: 'Keyword',
  MusterPhase: 'Keyword',
  MusterReason: 'Keyword',
  MusterEpoch: 'Int',
  MusterDevices: 'Int',
  MusterPriority: 'Int',
} as const satisfies Record<string, 'Keyword' | 'Int'>;
