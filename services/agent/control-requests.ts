/** What a program may send on its control socket, with the bounds. */
import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { manifestFieldBytesMax, shardsPerRankMax } from '#services/checkpoints/model.ts';
import type { MemberProgress } from '#services/fleet/model.ts';
import { invalid } from './control-problem.ts';

export interface MemberView {
  readonly job: string;
  readonly epoch: string;
  readonly rank: number;
  readonly worldSize: number;
  readonly state: 'running' | 'stopping';
  readonly stop: null | { readonly reason: string; readonly deadlineAt: string };
  readonly resume: null | { readonly checkpoint: string; readonly step: number; readonly dir: string };
}

const closed = { additionalProperties: false } as const;
const step = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const waitMsMax = 30_000;
const waitMsDefault = 10_000;
const messageMax = 256;

const Shards = Type.Object({ step, files: Type.Array(Type.String({ minLength: 1, maxLength: 1_100 }), { minItems: 1, maxItems: shardsPerRankMax }) }, closed);
const Commit = Type.Object({
  step,
  layout: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  dataPosition: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  waitMs: Type.Optional(Type.Integer({ minimum: 0, maximum: waitMsMax })),
}, closed);
const Progress = Type.Object({ step, totalSteps: Type.Optional(step), message: Type.Optional(Type.String({ maxLength: 4_096 })) }, closed);

export type ShardsRequest = Static<typeof Shards>;
export interface CommitRequest {
  readonly step: number;
  readonly layout: Readonly<Record<string, unknown>>;
  readonly dataPosition: Readonly<Record<string, unknown>>;
  readonly waitMs: number;
}

/** @throws ControlProblem `invalid_request` that names the first bad field */
function reader<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const checker = Compile(schema);
  return (value) => {
    if (checker.Check(value)) return value as Static<Schema>;
    const error = checker.Errors(value)[0];
    throw invalid(error?.instancePath || '/', error?.message ?? 'does not fit');
  };
}

const checkShards = reader(Shards);
const checkCommit = reader(Commit);
const checkProgress = reader(Progress);

export function readShards(value: unknown): ShardsRequest {
  const request = checkShards(value);
  if (new Set(request.files).size !== request.files.length) throw invalid('/files', 'names a file twice');
  return request;
}

export function readCommit(value: unknown): CommitRequest {
  const { step: at, layout = {}, dataPosition = {}, waitMs = waitMsDefault } = checkCommit(value);
  for (const [name, field] of Object.entries({ layout, dataPosition })) {
    if (Buffer.byteLength(JSON.stringify(field)) > manifestFieldBytesMax) throw invalid(`/${name}`, `has more than ${manifestFieldBytesMax} bytes`);
  }
  return { step: at, layout, dataPosition, waitMs };
}

/** What people read of it can't move their cursor, and a beat stays small: control characters go, long text is cut. */
export function readProgress(value: unknown): MemberProgress {
  const { message, ...rest } = checkProgress(value);
  return message === undefined ? rest : { ...rest, message: [...message.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')].slice(0, messageMax).join('') };
}

export function readWaitMs(query: URLSearchParams): number {
  const text = query.get('waitMs') ?? '0';
  const waitMs = Number(text);
  if (!/^\d{1,9}$/.test(text) || waitMs > waitMsMax) throw invalid('/waitMs', `must be a whole number from 0 to ${waitMsMax}`);
  return waitMs;
}
