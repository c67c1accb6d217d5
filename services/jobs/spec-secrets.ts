/** The secrets that a specification names. */
import type { Tx } from '../platform/db.ts';
import { problem, type FieldError, type Problem } from '../platform/errors.ts';
import { missingSecrets } from '../teams/secrets.ts';
import type { FullJobSpec } from './spec.ts';

/** What Muster sets itself. */
const reserved = /^(MUSTER_.*|RANK|WORLD_SIZE|LOCAL_RANK|MASTER_.*|CUDA_VISIBLE_DEVICES)$/;

/** Those that are there can't be deleted until the transaction of the submission ends, nor before the job does. */
export async function refusalOfSecrets(tx: Tx, { secrets, env }: FullJobSpec, teamId: string): Promise<Problem | undefined> {
  if (!secrets) return undefined;
  const missing = new Set(await missingSecrets(tx, teamId, [...new Set(Object.values(secrets))]));
  const errors = Object.entries(secrets).flatMap(([variable, name]): FieldError[] => {
    const refuse = (detail: string) => [{ pointer: `/secrets/${variable}`, detail }];
    if (reserved.test(variable)) return refuse(`${variable} is set by Muster`);
    if (Object.hasOwn(env, variable)) return refuse(`${variable} stands in env too`);
    return missing.has(name) ? refuse(`the team has no secret ${name}; PUT /v1/teams/{team}/secrets/{secret} makes one`) : [];
  });
  return errors.length === 0 ? undefined : problem('invalid_request', {}, errors);
}
