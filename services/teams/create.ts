import { appendEvent } from '../events/append.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { teamKey } from './model.ts';
import { insertOrg, insertTeam, type OrgRow, type TeamRow } from './store.ts';

/** Names of teams are unique in the cluster: a job names its team by it. @throws `team_exists` 409 */
export async function createTeam(tx: Tx, orgId: string, name: string): Promise<TeamRow> {
  const team = await insertTeam(tx, { id: newId('team'), org_id: orgId, name });
  if (!team) throw problem('team_exists', { team: name }, [{ pointer: '/name', detail: `name ${name} is taken` }]);
  await appendEvent(tx, { key: teamKey(team.id), version: 1n, kind: 'team.created', payload: { team: team.id, name } });
  return team;
}

/** @throws `org_exists` 409 */
export async function createOrg(tx: Tx, name: string): Promise<OrgRow> {
  const org = await insertOrg(tx, { id: newId('org'), name });
  if (!org) throw problem('org_exists', { org: name }, [{ pointer: '/name', detail: `name ${name} is taken` }]);
  return org;
}
