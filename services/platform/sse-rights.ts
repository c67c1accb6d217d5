/** An open stream outlives the check at its start: its caller's rights are looked at again while it is open. */
import type { TeamScope } from './authz-scope.ts';
import type { SseStream } from './sse.ts';

/** A key that was revoked, or a role that was taken away, keeps an open stream for that long at most. */
const recheckMs = 5_000;

/** Cuts the stream off when its caller may see other teams than before: he resumes with what he may see now. */
export function cutWhenScopeChanges(stream: SseStream, scope: TeamScope, scopeNow: () => Promise<TeamScope | undefined>): void {
  const timer = setInterval(() => {
    scopeNow().then((now) => { if (!now?.equals(scope)) stream.cut(); }, () => undefined); // a database that is away takes no right away
  }, recheckMs);
  stream.over.addEventListener('abort', () => clearInterval(timer), { once: true });
}
