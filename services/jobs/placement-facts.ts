/** What a run is started with beside its wake, from the row. */
import type { Db } from '../platform/db.ts';
import type { PlacementFacts } from './model.ts';
import type { FullJobSpec } from './spec.ts';

/** @returns undefined, where there is no such job */
export async function readPlacementFacts(db: Db, jobId: string): Promise<PlacementFacts | undefined> {
  const row = await db.selectFrom('job').innerJoin('team', 'team.id', 'job.team_id')
    .select(['job.name', 'team.name as team', 'job.members', 'job.priority', 'job.spec', 'job.request_id'])
    .where('job.id', '=', jobId).executeTakeFirst();
  if (!row) return undefined;
  const { devicesPerMember } = row.spec as unknown as Pick<FullJobSpec, 'devicesPerMember'>;
  return { name: row.name, team: row.team, members: row.members, devices: row.members * devicesPerMember, priority: row.priority, requestId: row.request_id };
}
