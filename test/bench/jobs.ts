/** Jobs of the benches that need whole lifecycles: submitted over HTTP, followed in the rows. */
import { sql } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '#services/cli/client.ts';
import type { BenchStack } from './stack.ts';

/** Requests in flight at once: enough that submitting is not what is measured. */
const submittersMax = 16;
const lookEveryMs = 100;

export async function submitMany(stack: BenchStack, jobs: number, body: { readonly members: number; readonly devicesPerMember: number }): Promise<void> {
  let left = jobs;
  const submitter = async (): Promise<void> => {
    while (left-- > 0) await ask(stack.api.POST('/v1/jobs', { body: { name: 'bench', argv: ['bench'], ...body } }));
  };
  await Promise.all(Array.from({ length: submittersMax }, submitter));
}

/** Waits until `jobs` have succeeded in all. @throws when one ends otherwise, or nothing ends for `stuckMs` */
export async function untilSucceeded(stack: BenchStack, jobs: number, stuckMs = 120_000): Promise<void> {
  for (let before = -1, since = performance.now(); ; await delay(lookEveryMs)) {
    const { rows: [row] } = await sql<{ succeeded: number; otherwise: number }>`
      select count(*) filter (where state = 'SUCCEEDED')::int as succeeded, count(*) filter (where state in ('FAILED', 'CANCELLED', 'REJECTED'))::int as otherwise
      from job where ended_at is not null`.execute(stack.db);
    if (!row || row.otherwise > 0) throw new Error(`${row?.otherwise} jobs did not succeed`);
    if (row.succeeded >= jobs) return;
    if (row.succeeded > before) [before, since] = [row.succeeded, performance.now()];
    if (performance.now() - since > stuckMs) throw new Error(`${row.succeeded} of ${jobs} jobs have succeeded, and for ${stuckMs} ms none has since`);
  }
}
