import { appendEvent } from '../events/append.ts';
import type { Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { defaultOrgId, teamKey } from './model.ts';
import { insertTeam, type TeamRow } from './store.ts';

/** @throws `team_exists` 409 */
export async function createTeam(tx: Tx, name: string): Promise<TeamRow> {
  const team = await insertTeam(tx, { id: newId('team'), org_id: defaultOrgId, name });
  if (!team) throw problem('team_exists', { team: name }, [{ pointer: '/name', detail: `name ${name} is taken` }]);
  await appendEvent(tx, { key: teamKey(team.id), version: 1n, kind: 'team.created', payload: { team: team.id, name } });
  return team;
}
