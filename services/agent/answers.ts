/** Which answers an agent follows (P3). Pure: the beat loop gives it times and keeps the position. */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Answer, BeatRefusal } from '#services/fleet/model.ts';

/** What the last applied answer said. Incarnation and cluster outlive the process; the rest begins anew with it (P1). */
export interface Position {
  readonly clusterId: string | null;
  readonly incarnation: number;
  readonly session: string;
  readonly generation: bigint;
  readonly echo: number;
}

export const firstPosition = (clusterId: string | null, incarnation: number): Position =>
  ({ clusterId, incarnation, session: '0', generation: 0n, echo: 0 });

export type Verdict =
  | { readonly kind: 'apply'; readonly position: Position }
  | { readonly kind: 'drop'; readonly why: string };

/**
 * @param sentMs  when the echoed beat was sent, and `nowMs`: both of one monotonic clock
 */
export function judge(position: Position, answer: Answer, sentMs: number, nowMs: number): Verdict {
  const drop = (why: string): Verdict => ({ kind: 'drop', why });
  const generation = BigInt(answer.generation);
  if (position.clusterId !== null && answer.clusterId !== position.clusterId) return drop(`of another cluster, ${answer.clusterId}`);
  if (answer.incarnation < position.incarnation) return drop(`of an older incarnation, ${answer.incarnation}`);
  if (answer.incarnation === position.incarnation && generation < position.generation && !answer.hello) return drop(`of an older generation, ${answer.generation}`);
  if (answer.echo <= position.echo) return drop(`answers beat ${answer.echo}, one after it was applied already`);
  if (nowMs >= sentMs + answer.leaseTtlMs) return drop('older than the lease that it grants');
  if (answer.hello) {
    if (BigInt(answer.session) <= BigInt(position.session)) return drop(`issues session ${answer.session}, which is not newer`);
  } else if (answer.session !== position.session) return drop(`of another session, ${answer.session}`);
  const known = answer.incarnation === position.incarnation ? position.generation : 0n;
  return { kind: 'apply', position: {
    clusterId: answer.clusterId, incarnation: answer.incarnation, session: answer.session, echo: answer.echo,
    generation: answer.hello ? known : generation, // a hello brings no lists, so it is not the lists' generation
  } };
}

const decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,18})$' });
const text = Type.String();
const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const key = { job: Type.String({ maxLength: 128 }), epoch: decimal, rank: Type.Integer({ minimum: 0, maximum: 100_000 }) };
const memberKey = Type.Object(key);
const shard = Type.Object({ path: Type.String({ maxLength: 2_048 }), bytes: decimal, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) });
const reach = Type.Union([Type.Literal('node'), Type.Literal('shared')]);
const launch = Type.Object({
  argv: Type.Array(text, { minItems: 1, maxItems: 512 }),
  env: Type.Record(Type.String(), text),
  workingDirectory: Type.Union([text, Type.Null()]),
  worldSize: Type.Integer({ minimum: 1, maximum: 100_000 }),
  localRank: count,
  devices: Type.Array(count, { maxItems: 1_024 }),
  readiness: Type.Union([Type.Literal('start'), Type.Literal('signal')]),
  exclusive: Type.Boolean(),
  master: Type.Union([Type.Object({ address: Type.String({ maxLength: 256 }), port: Type.Integer({ minimum: 0, maximum: 65_535 }) }), Type.Null()]),
  resume: Type.Union([Type.Object({ checkpoint: Type.String({ maxLength: 128 }), step: count, dir: Type.String({ maxLength: 4_096 }), reach, shards: Type.Array(shard) }), Type.Null()]),
  logBytesMax: decimal,
  secrets: Type.Optional(Type.Record(Type.String(), text)),
  secretsMissing: Type.Optional(text),
});
const checkAnswer = Compile(Type.Object({
  clusterId: Type.String({ minLength: 1, maxLength: 128 }),
  incarnation: count,
  session: decimal,
  echo: count,
  hello: Type.Optional(Type.Literal(true)),
  leaseTtlMs: Type.Integer({ minimum: 1, maximum: 86_400_000 }),
  heartbeatMs: Type.Integer({ minimum: 10, maximum: 3_600_000 }),
  generation: decimal,
  run: Type.Array(Type.Unknown()),
  stop: Type.Array(Type.Unknown()),
  ack: Type.Array(Type.Unknown()),
  rotate: Type.Optional(Type.Literal(true)),
  nextCredential: Type.Optional(Type.Object({ sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }), version: count })),
}));
const checkRun = Compile(Type.Union([
  Type.Object({ ...key, order: Type.Literal('keep') }),
  Type.Object({ ...key, order: Type.Literal('start'), launch }),
]));
const checkStop = Compile(Type.Object({ ...key, reason: text, graceMs: Type.Integer({ minimum: 0, maximum: 86_400_000 }) }));
const checkKey = Compile(memberKey);
const checkRefusal = Compile(Type.Object({ refused: Type.String(), detail: Type.String() }));

interface Parsed {
  readonly answer: Answer;
  /** items that can't be read: they are left out, so that one bad item doesn't hold up the others */
  readonly skipped: number;
}

/** What came over the wire, or undefined where it is no answer: an empty or malformed one stops no member (P3). */
export function parseAnswer(value: unknown): Parsed | BeatRefusal | undefined {
  if (checkRefusal.Check(value)) return value as BeatRefusal;
  if (!checkAnswer.Check(value)) return undefined;
  const run = value.run.filter((item) => checkRun.Check(item));
  const stop = value.stop.filter((item) => checkStop.Check(item));
  const ack = value.ack.filter((item) => checkKey.Check(item));
  const skipped = value.run.length + value.stop.length + value.ack.length - run.length - stop.length - ack.length;
  return { answer: { ...value, run, stop, ack } as Answer, skipped };
}
