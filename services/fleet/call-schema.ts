/** The shape of an agent's call as the ingest accepts it; what doesn't fit changes nothing. */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { manifestFieldBytesMax, shardsPerRankMax } from '../checkpoints/model.ts';
import type { SignedCall } from './model.ts';

const decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,17})$' });
const step = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const member = Type.Object({
  job: Type.String({ pattern: '^job_[0-9a-z]{26}$' }), epoch: decimal, rank: Type.Integer({ minimum: 0, maximum: 4_095 }),
});
const file = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 1_100 }), bytes: decimal, sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
const credentialVersion = Type.Integer({ minimum: 0 });
const fields = Type.Record(Type.String({ maxLength: 128 }), Type.Unknown());

const shards = Type.Object({
  op: Type.Literal('shards'), credentialVersion, member, step, files: Type.Array(file, { minItems: 1, maxItems: shardsPerRankMax }),
});
const commit = Type.Object({
  op: Type.Literal('commit'), credentialVersion, member, step, dir: Type.String({ maxLength: 128 }),
  reach: Type.Union([Type.Literal('node'), Type.Literal('shared')]), layout: fields, dataPosition: fields,
});
const call = Compile(Type.Union([shards, commit]));

/** @returns the call, or a sentence that says what doesn't fit */
export function parseCall(value: unknown): SignedCall | string {
  if (!call.Check(value)) {
    const first = call.Errors(value)[0];
    return first ? `${first.instancePath || '/'}: ${first.message}` : 'not a call';
  }
  return value.op === 'commit' ? refusalOfFields(value) ?? value : value;
}

/** A manifest's fields are for people and trainers, not for data; and jsonb takes no NUL and no half of a surrogate pair. */
function refusalOfFields(value: { layout: unknown; dataPosition: unknown }): string | undefined {
  for (const name of ['layout', 'dataPosition'] as const) {
    if (Buffer.byteLength(JSON.stringify(value[name])) > manifestFieldBytesMax) return `/${name}: more than ${manifestFieldBytesMax} bytes`;
    if (!isStorable(value[name])) return `/${name}: holds a NUL or a character that is not Unicode`;
  }
  return undefined;
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  return typeof value !== 'object' || value === null || Object.entries(value).every(([name, part]) => isStorable(name) && isStorable(part));
}
