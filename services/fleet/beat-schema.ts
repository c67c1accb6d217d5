/** The shape of a heartbeat as the ingest accepts it: what doesn't fit is refused whole and changes nothing. */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { nodeNamePattern, type Beat } from './model.ts';

/** Eighteen digits: whatever fits here fits a bigint column. */
const decimal = Type.String({ pattern: '^(0|[1-9][0-9]{0,17})$' });
const text = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]*$' });
const jobId = Type.String({ pattern: '^job_[0-9a-z]{26}$' });
const key = { job: jobId, epoch: decimal, rank: Type.Integer({ minimum: 0, maximum: 4_095 }) };
const progress = Type.Optional(Type.Object({
  step: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  totalSteps: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  message: Type.Optional(text(500)),
}));
const port = Type.Integer({ minimum: 0, maximum: 65_535 });

const observation = Type.Union([
  Type.Object({
    ...key, state: Type.Union([Type.Literal('accepted'), Type.Literal('ready')]), address: text(256), port,
    pid: Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), devices: Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { maxItems: 64 }), progress,
  }),
  Type.Object({
    ...key, state: Type.Literal('exited'), exitCode: Type.Union([Type.Integer({ minimum: 0, maximum: 255 }), Type.Null()]),
    signal: Type.Union([text(32), Type.Null()]), progress, address: Type.Optional(text(256)), port: Type.Optional(port),
  }),
  Type.Object({ ...key, state: Type.Literal('gone') }),
  Type.Object({
    ...key, state: Type.Literal('refused'), detail: text(2_000), checkpoint: Type.Optional(text(64)),
    code: Type.Union((['checkpoint_unreadable', 'spawn_failed', 'device_missing', 'disk_full', 'working_directory_missing'] as const).map((code) => Type.Literal(code))),
  }),
]);

const strings = (max: number) => Type.Record(text(128), text(256), { maxProperties: max });

const facts = Type.Object({
  agentVersion: text(64), hostname: text(256), address: text(256),
  cpuMilli: Type.Integer({ minimum: 0, maximum: 10_000_000 }), memoryBytes: decimal,
  devices: Type.Array(Type.Object({
    index: Type.Integer({ minimum: 0, maximum: 255 }), model: text(64), uuid: text(128), memoryBytes: decimal,
    health: Type.Union([Type.Literal('ok'), Type.Literal('degraded'), Type.Literal('failed')]),
  }), { maxItems: 256 }),
  topology: strings(16), labels: strings(64),
  checkpointReach: Type.Union([Type.Literal('node'), Type.Literal('shared')]),
});

const membersMaxPerNode = 1_024;

const beat = Compile(Type.Object({
  node: Type.String({ pattern: nodeNamePattern }),
  clusterId: Type.Union([text(64), Type.Null()]),
  credentialVersion: Type.Integer({ minimum: 0 }),
  bootId: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' }),
  session: decimal,
  sequence: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  incarnation: Type.Integer({ minimum: 0, maximum: 2_000_000 }),
  facts: Type.Optional(facts),
  nextSecretSha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
  members: Type.Array(observation, { maxItems: membersMaxPerNode }),
}));

/** @returns the beat, or a sentence that says what doesn't fit */
export function parseBeat(value: unknown): Beat | string {
  if (beat.Check(value)) return repetitionIn(value) ?? (value as unknown as Beat);
  const first = beat.Errors(value)[0];
  return first ? `${first.instancePath || '/'}: ${first.message}` : 'not a beat';
}

/** A device or a member told twice would contradict itself. */
function repetitionIn(value: { readonly facts?: { readonly devices: readonly { readonly index: number }[] }; readonly members: readonly { readonly job: string; readonly epoch: string; readonly rank: number }[] }): string | undefined {
  const devices = value.facts?.devices.map((device) => device.index) ?? [];
  if (new Set(devices).size < devices.length) return '/facts/devices: an index is repeated';
  const members = value.members.map((member) => `${member.job} ${member.epoch} ${member.rank}`);
  if (new Set(members).size < members.length) return '/members: a member is repeated';
  return undefined;
}
