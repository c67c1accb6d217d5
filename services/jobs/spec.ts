/** The specification of a job as the API takes it. Bounds stand here, once; the OpenAPI document has them from here. */
import Type, { type Static } from 'typebox';

/** Letters, digits, dot, dash, underscore: safe in subjects, file names and terminals. */
export const namePattern = '^[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$';
/** No control characters: what a person reads can't move the cursor. */
const printable = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
const noNul = '^[^\\u0000]*$';
const envNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,127}$';
const labelKeyPattern = '^[A-Za-z0-9]([A-Za-z0-9._/-]{0,126}[A-Za-z0-9])?$';

const closed = { additionalProperties: false } as const;

export const JobSpec = Type.Object({
  team: Type.Optional(Type.String({ pattern: namePattern, description: 'Name of the team; `default` where absent' })),
  name: Type.String({ pattern: namePattern, description: 'For people; need not be unique' }),
  argv: Type.Array(Type.String({ maxLength: 32_768, pattern: noNul }), { minItems: 1, maxItems: 512, description: 'Program and arguments; no shell is added' }),
  env: Type.Optional(Type.Record(Type.String({ pattern: envNamePattern }), Type.String({ maxLength: 32_768, pattern: noNul }), { ...closed, maxProperties: 256, description: 'Extra environment; MUSTER_*, RANK, WORLD_SIZE, LOCAL_RANK, MASTER_* and CUDA_VISIBLE_DEVICES are set by Muster and win' })),
  secrets: Type.Optional(Type.Record(Type.String({ pattern: envNamePattern }), Type.String({ pattern: namePattern }), { ...closed, maxProperties: 16, description: 'Variable → name of a secret of the team; the value goes into the members\' environment and nowhere else' })),
  workingDirectory: Type.Optional(Type.String({ maxLength: 4_096, pattern: '^/[^\\u0000]*$', description: 'Absolute path on the node' })),
  members: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_096, default: 1, description: 'Gang size: all start together or none' })),
  devicesPerMember: Type.Optional(Type.Integer({ minimum: 0, maximum: 64, default: 0, description: 'Whole devices a member' })),
  deviceModels: Type.Optional(Type.Array(Type.String({ pattern: namePattern }), { maxItems: 16, uniqueItems: true, description: 'Any of these models; absent or empty: any' })),
  cpuMilli: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_024_000, default: 0, description: 'Thousandths of a core a member' })),
  memoryBytes: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,15})$', default: '0', description: 'Bytes a member, a decimal string' })),
  nodeSelector: Type.Optional(Type.Record(Type.String({ pattern: labelKeyPattern }), Type.String({ maxLength: 256, pattern: printable }), { ...closed, maxProperties: 32, description: 'Labels that a node must have' })),
  topology: Type.Optional(Type.Object({
    level: Type.Union([Type.Literal('region'), Type.Literal('zone'), Type.Literal('pod'), Type.Literal('rack'), Type.Literal('nvlink'), Type.Literal('node')]),
    mode: Type.Union([Type.Literal('required'), Type.Literal('preferred')]),
  }, { ...closed, description: 'All members within one domain of this level' })),
  priorityClass: Type.Optional(Type.Union([Type.Literal('low'), Type.Literal('normal'), Type.Literal('high')], { default: 'normal' })),
  timeLimitSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Total RUNNING time over all attempts; then the job is stopped and FAILED' })),
  queueDeadlineSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'A job that has not started by then is FAILED' })),
  preemptible: Type.Optional(Type.Boolean({ default: false })),
  exclusive: Type.Optional(Type.Boolean({ default: false, description: 'Never two epochs at once, whatever it costs: for shared POSIX directories, licences, fixed addresses' })),
  readiness: Type.Optional(Type.Union([Type.Literal('start'), Type.Literal('signal')], { default: 'start', description: 'start: a member is ready when its process runs; signal: when it says so on MUSTER_CONTROL' })),
  retry: Type.Optional(Type.Object({
    userFailures: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 0, description: 'Restarts after a member exited otherwise than 0, or by a signal not of ours' })),
    infrastructureFailures: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 10, description: 'Restarts after lost nodes, refused starts and start time-outs' })),
    backoffSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, default: 1, description: 'First back-off; doubles with each failure of the category' })),
    backoffMaxSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400, default: 300 })),
  }, closed)),
  checkpoint: Type.Optional(Type.Object({
    intervalSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800, description: 'Told to the program as MUSTER_CHECKPOINT_INTERVAL_SECONDS' })),
    graceSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, default: 30, description: 'From SIGTERM to SIGKILL: time for a last save' })),
  }, closed)),
  labels: Type.Optional(Type.Record(Type.String({ pattern: labelKeyPattern }), Type.String({ maxLength: 256, pattern: printable }), { ...closed, maxProperties: 32 })),
}, closed);

export type JobSpec = Static<typeof JobSpec>;

/** The same with every default filled in: what stands in the row. */
export type FullJobSpec = Required<Omit<JobSpec, 'secrets' | 'workingDirectory' | 'topology' | 'timeLimitSeconds' | 'queueDeadlineSeconds' | 'retry' | 'checkpoint'>>
  & Pick<JobSpec, 'secrets' | 'workingDirectory' | 'topology' | 'timeLimitSeconds' | 'queueDeadlineSeconds'>
  & { readonly retry: Required<NonNullable<JobSpec['retry']>>; readonly checkpoint: { readonly intervalSeconds?: number; readonly graceSeconds: number } };

export function withDefaults(spec: JobSpec): FullJobSpec {
  return {
    ...spec,
    team: spec.team ?? 'default',
    env: spec.env ?? {},
    members: spec.members ?? 1,
    devicesPerMember: spec.devicesPerMember ?? 0,
    deviceModels: spec.deviceModels ?? [],
    cpuMilli: spec.cpuMilli ?? 0,
    memoryBytes: spec.memoryBytes ?? '0',
    nodeSelector: spec.nodeSelector ?? {},
    priorityClass: spec.priorityClass ?? 'normal',
    preemptible: spec.preemptible ?? false,
    exclusive: spec.exclusive ?? false,
    readiness: spec.readiness ?? 'start',
    retry: {
      userFailures: spec.retry?.userFailures ?? 0,
      infrastructureFailures: spec.retry?.infrastructureFailures ?? 10,
      backoffSeconds: spec.retry?.backoffSeconds ?? 1,
      backoffMaxSeconds: spec.retry?.backoffMaxSeconds ?? 300,
    },
    checkpoint: {
      ...(spec.checkpoint?.intervalSeconds === undefined ? {} : { intervalSeconds: spec.checkpoint.intervalSeconds }),
      graceSeconds: spec.checkpoint?.graceSeconds ?? 30,
    },
    labels: spec.labels ?? {},
  };
}
