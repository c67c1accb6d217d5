import type { Access } from '../platform/authz-scope.ts';
import type { Db } from '../platform/db.ts';
import { pageKey, pageToken, toPage } from '../platform/pages.ts';
import { requireJob } from './get.ts';
import { listAttempts, membersOfEpochs } from './queries.ts';
import type { AttemptRow, MemberRow } from './store.ts';

export interface AttemptWithMembers { readonly attempt: AttemptRow; readonly members: readonly MemberRow[] }

/** Members that one answer carries; a page of large gangs has fewer attempts. The largest gang fits once. */
const membersMax = 5_000;

/** Attempts of a job with their members, newest first. @throws `job_not_found` 404 · `invalid_cursor` 400 */
export async function attemptsOf(db: Db, access: Access, jobId: string, pageSize: number, token: string | undefined): Promise<{ items: AttemptWithMembers[]; next_page_token: string | null }> {
  await requireJob(db, access, jobId);
  const filters = { attemptsOf: jobId };
  const before = pageKey(token, filters, [/^[0-9]{1,18}$/])?.[0];
  const attempts = await listAttempts(db, jobId, before === undefined ? undefined : BigInt(before), pageSize + 1);
  const size = Math.max(1, Math.min(pageSize, Math.floor(membersMax / (attempts[0]?.members ?? 1))));
  const page = toPage(attempts, size, (attempt) => attempt, (last) => pageToken([last.epoch.toString()], filters));
  const members = Map.groupBy(await membersOfEpochs(db, jobId, page.items.map((attempt) => attempt.epoch)), (member) => member.epoch);
  return { ...page, items: page.items.map((attempt) => ({ attempt, members: members.get(attempt.epoch) ?? [] })) };
}
