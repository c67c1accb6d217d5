/** docs/errors.md from the registry of errors: `node infra/docs/error-reference.ts` writes it, a test compares. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '#services/platform/config.ts';
import { errorRegistry, type ErrorCode } from '#services/platform/errors.ts';
import { typeOf } from '#services/platform/http-problems.ts';

export const errorsFile = path.join(repositoryRoot, 'docs/errors.md');

export function renderErrors(): string {
  const codes = (Object.keys(errorRegistry) as ErrorCode[]).sort((a, b) => errorRegistry[a].status - errorRegistry[b].status || a.localeCompare(b));
  return [
    '# Errors of the API', '',
    'Written by `node infra/docs/error-reference.ts` from `services/platform/errors.ts`; a test compares. An error is `application/problem+json` (RFC 9457). Its `type` is `urn:muster:problem:<code>`: the code is the anchor of its section here.', '',
    '`detail` says what was wrong this time, `errors` names the bad fields by JSON pointer, `context` has ids, limits and current values, `instance` is the id of the request as in the log and in `X-Request-Id`. `retryable` says whether the same request can succeed later; 429 and 503 come with `Retry-After`.', '',
    "What a job's program gets from its control socket is in [checkpoints.md](checkpoints.md#the-other-calls).", '',
    ...codes.flatMap(section),
  ].join('\n');
}

function section(code: ErrorCode): string[] {
  const { status, title, retryable, remedy } = errorRegistry[code];
  return [`## ${code}`, '', `${status} · ${title}. ${retryable ? 'Can be repeated.' : 'A repetition is refused too.'} \`${typeOf(code)}\``, '', remedy, ''];
}

if (import.meta.main) await writeFile(errorsFile, renderErrors());
