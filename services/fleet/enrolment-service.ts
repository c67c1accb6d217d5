import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { inTransaction, type Db } from '../platform/db.ts';
import type { Log } from '../platform/log.ts';
import type { Bus, Subscription } from '../platform/nats/bus.ts';
import { enrol } from './enrolment.ts';
import { nodeNamePattern, subjects, type EnrolReply } from './model.ts';

const request = Compile(Type.Object({ node: Type.String({ pattern: nodeNamePattern }), token: Type.String({ minLength: 1, maxLength: 200 }) }));

/** A fleet that enrols at once goes through a few at a time; a request is a name and a token. */
const limits = { inFlightMax: 16, bytesMax: 1_024 };

/**
 * Answers `enrol.<node>`. The subject says who asks, as the login allows no other; the body must agree. A database that
 * is away gets no answer: the agent asks again, as its token is unused.
 */
export function answerEnrolments(bus: Bus, db: Db, log: Log): Subscription {
  return bus.respond(subjects.allEnrolments, async (value, subject): Promise<EnrolReply> => {
    if (!request.Check(value)) return { ok: false, code: 'invalid', detail: 'give node and token' };
    if (subject !== subjects.enrol(value.node)) return { ok: false, code: 'node_mismatch', detail: 'the request names another node than its subject' };
    const reply = await inTransaction(db, (tx) => enrol(tx, value));
    log.info({ node: value.node, outcome: reply.ok ? 'enrolled' : reply.code }, 'enrolment');
    return reply;
  }, limits);
}
