import type { TeamScope } from '../platform/authz-scope.ts';
import type { Db } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { pageKey, pageToken, toPage } from '../platform/pages.ts';
import { findTeam } from '../teams/find.ts';
import type { JobState } from './model.ts';
import { listJobFacts, type JobFacts, type ListKey } from './queries.ts';

export interface ListRequest {
  readonly states?: readonly JobState[];
  readonly team?: string;
  readonly name?: string;
  /** `key=value`, all of which a job must have */
  readonly labels?: readonly string[];
  readonly pageSize: number;
  readonly pageToken?: string;
}

const keyPatterns = [/^[0-9]{1,18}$/, /^job_[0-9a-z]{26}$/] as const;

/**
 * A page of jobs, newest first. What is submitted meanwhile comes before the first page, so pages neither repeat nor skip.
 *
 * @throws `team_not_found` 404 · `invalid_cursor` 400
 */
export async function listJobs(db: Db, scope: TeamScope, request: ListRequest): Promise<{ items: JobFacts[]; next_page_token: string | null }> {
  const { pageSize, pageToken: token, ...filters } = request;
  const after = pageKey(token, filters, keyPatterns) as ListKey | undefined;
  const team = request.team === undefined ? undefined : await findTeam(db, scope, request.team);
  if (request.team !== undefined && !team) throw problem('team_not_found', { team: request.team });
  const rows = await listJobFacts(db, scope, {
    ...(request.states ? { states: request.states } : {}),
    ...(team ? { teamId: team.id } : {}),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.labels ? { labels: Object.fromEntries(request.labels.map(splitLabel)) } : {}),
  }, after, pageSize + 1);
  return toPage(rows, pageSize, (facts) => facts, (last) => pageToken([last.submittedAtMicros, last.job.id], filters));
}

function splitLabel(label: string): [string, string] {
  const at = label.indexOf('=');
  return [label.slice(0, at), label.slice(at + 1)];
}
