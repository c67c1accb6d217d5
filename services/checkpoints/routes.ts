/** REST routes of a job's checkpoints. */
import Type, { type Static } from 'typebox';
import { requireJob } from '../jobs/get.ts';
import type { Config } from '../platform/config.ts';
import type { Db } from '../platform/db.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { getCheckpoint, listCheckpoints } from './list.ts';
import type { Checkpoint } from './model.ts';

export interface CheckpointDeps { readonly db: Db; readonly config: Pick<Config, 'pageSizeMax'> }

const decimal = Type.String({ pattern: '^[0-9]+$' });
const fields = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true });

const checkpointFields = {
  id: Type.String(), job: Type.String(), epoch: decimal, step: decimal,
  state: Type.Unsafe<'COMMITTED' | 'BAD'>({ type: 'string', enum: ['COMMITTED', 'BAD'] }),
  badReason: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'What an agent found when it was to start from it' }),
  isCurrent: Type.Boolean({ description: 'A restart begins here' }),
  dir: Type.String({ description: 'Relative to the checkpoint root' }),
  reach: Type.Unsafe<'node' | 'shared'>({ type: 'string', enum: ['node', 'shared'], description: 'node: only the nodes named here can read it' }),
  nodes: Type.Array(Type.String()),
  shards: Type.Integer(), bytes: decimal, layout: fields, dataPosition: fields,
  committedAt: Type.String({ format: 'date-time' }),
};
const CheckpointView = Type.Object(checkpointFields, { $id: 'Checkpoint' });
const CheckpointWithFiles = Type.Object({
  ...checkpointFields,
  files: Type.Array(Type.Object({ rank: Type.Integer(), node: Type.String(), path: Type.String(), bytes: decimal, sha256: Type.String() }), {
    description: 'Of the newest checkpoints only; empty where they are no longer kept',
  }),
}, { $id: 'CheckpointWithFiles' });

const JobParams = Type.Object({ job: Type.String({ description: 'Id, `job_…`' }) });
const CheckpointParams = Type.Object({ ...JobParams.properties, checkpoint: Type.String({ description: 'Id, `ckpt_…`' }) });
/** Epoch and step of the page's last. */
const cursor = [/^[0-9]{1,19}$/, /^[0-9]{1,19}$/] as const;

export function checkpointRoutes(app: Api, { db, config }: CheckpointDeps): void {
  app.addSchema(CheckpointView);
  app.addSchema(CheckpointWithFiles);

  app.get('/v1/jobs/:job/checkpoints', {
    schema: {
      operationId: 'listCheckpoints', summary: 'List a job\'s checkpoints, newest first', tags: ['checkpoints'],
      params: JobParams, querystring: Type.Object(pageQuery(config.pageSizeMax), { additionalProperties: false }),
      response: { 200: Type.Object({ items: Type.Array(refTo(CheckpointView)), next_page_token: nextPageToken }), ...problems(404) },
    },
    config: { allow: 'checkpoints:read' },
  }, async ({ params, query, access }) => {
    await requireJob(db, access, params.job);
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const filters = ['checkpoints', params.job];
    const [epoch, step] = pageKey(query.page_token, filters, cursor) ?? [];
    const after = epoch === undefined || step === undefined ? undefined : { epoch: BigInt(epoch), step: BigInt(step) };
    const { checkpoints, currentId } = await listCheckpoints(db, params.job, after, size + 1);
    return toPage(checkpoints, size, (checkpoint) => toView(checkpoint, currentId), (last) => pageToken([String(last.epoch), String(last.step)], filters));
  });

  app.get('/v1/jobs/:job/checkpoints/:checkpoint', {
    schema: {
      operationId: 'getCheckpoint', summary: 'Show a checkpoint with its files', tags: ['checkpoints'],
      params: CheckpointParams, response: { 200: refTo(CheckpointWithFiles), ...problems(404) },
    },
    config: { allow: 'checkpoints:read' },
  }, async ({ params, access }) => {
    await requireJob(db, access, params.job);
    const { checkpoint, shards, currentId } = await getCheckpoint(db, params.job, params.checkpoint);
    return { ...toView(checkpoint, currentId), files: [...shards] };
  });
}

function toView(checkpoint: Checkpoint, currentId: string | null): Static<typeof CheckpointView> {
  const { jobId, epoch, step, bytes, committedAt, nodes, ...same } = checkpoint;
  return {
    ...same, job: jobId, epoch: epoch.toString(), step: step.toString(), bytes: bytes.toString(), nodes: [...nodes],
    committedAt: committedAt.toISOString(), isCurrent: checkpoint.id === currentId,
  };
}
