/** `Prefer: wait=N` (RFC 7240): the caller would rather wait than ask again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { TeamScope } from '../platform/authz-scope.ts';
import { runningOperation, selectOperation, settleOperations, type OperationRow } from './store.ts';
import type { OperationKind } from './model.ts';

export const PreferHeaders = Type.Object({
  prefer: Type.Optional(Type.String({ maxLength: 200, description: '`wait=N`: answer when it is over, at the latest after N seconds' })),
});

export type WaitConfig = Pick<Config, 'preferWaitSecondsMax' | 'waitersMax' | 'pollMs'>;

/** A wait looks at the database that often at most; each look is two short statements. */
const lookMs = 250;

export class Waiters {
  readonly #db: Db;
  readonly #config: WaitConfig;
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(db: Db, config: WaitConfig) {
    this.#db = db;
    this.#config = config;
  }

  /** Answers all who wait with what there is: the process ends. */
  close(): void { this.#closing.abort(); }

  /** Waits as long as the request prefers, until the operation is over. @returns it as it is then */
  async until(request: FastifyRequest, reply: FastifyReply, operation: OperationRow): Promise<OperationRow> {
    const seconds = this.#secondsOf(request);
    let found = operation;
    if (seconds === 0 || this.#waiting >= this.#config.waitersMax) return found;
    reply.header('preference-applied', `wait=${seconds}`);
    const until = performance.now() + seconds * 1_000;
    this.#waiting++;
    try {
      for (;;) {
        await settleOperations(this.#db, operation.id);
        found = await selectOperation(this.#db, TeamScope.everyTeam, operation.id) ?? found;
        const leftMs = until - performance.now();
        if (found.state !== 'RUNNING' || leftMs <= 0 || this.#closing.signal.aborted || request.raw.socket.destroyed) return found;
        await delay(Math.min(lookMs, leftMs), undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    } finally {
      this.#waiting--;
    }
  }

  /** The same for the operation of a kind that runs for a target, where there is one; tells its place in a header. */
  async untilOver(request: FastifyRequest, reply: FastifyReply, kind: OperationKind, target: string): Promise<OperationRow | undefined> {
    const running = await runningOperation(this.#db, kind, target);
    if (!running) return undefined;
    reply.header('operation-location', `/v1/operations/${running.id}`);
    return this.until(request, reply, running);
  }

  #secondsOf(request: FastifyRequest): number {
    const wait = /(?:^|[,;\s])wait=([0-9]{1,5})(?:$|[,;\s])/.exec(String(request.headers['prefer'] ?? ''))?.[1];
    return wait === undefined ? 0 : Math.min(Number(wait), this.#config.preferWaitSecondsMax);
  }
}
