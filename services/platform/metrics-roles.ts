/** Processes that serve `/metrics`. */
export const roleNames = ['api', 'scheduler', 'ingest', 'relay', 'reconciler', 'worker', 'agent'] as const;
export type MetricRole = (typeof roleNames)[number];
