/** REST routes of nodes and enrolment. */
import Type from 'typebox';
import { inTransaction, type Db } from '../platform/db.ts';
import type { Config } from '../platform/config.ts';
import type { VacateConfig } from '../jobs/vacate.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { confirmTerminated, membersToSettle } from './confirm-terminated.ts';
import { cordonNode, uncordonNode } from './cordon.ts';
import { revokeCredential } from './credentials.ts';
import { createEnrolmentToken } from './enrolment.ts';
import { nodeNamePattern } from './model.ts';
import type { BootMember } from './node-store.ts';
import { NodeView, toNodeView } from './node-view.ts';
import { getNode, listNodes } from './nodes.ts';

export interface FleetDeps {
  readonly db: Db;
  readonly config: Pick<Config, 'pageSizeMax' | 'idempotencyHours' | 'enrolmentTokenSecondsMax'> & VacateConfig;
}

const closed = { additionalProperties: false } as const;
const NodeParams = Type.Object({ node: Type.String({ description: 'Name' }) });
const reason = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$', description: 'One sentence for people' });
const ReasonBody = Type.Object({ reason }, closed);
const NoBody = Type.Object({}, closed);
const bodyOrNone = async (request: { body: unknown }): Promise<void> => { request.body ??= {}; };
const anyName = [new RegExp(nodeNamePattern)] as const;

export function fleetRoutes(app: Api, deps: FleetDeps): void {
  app.addSchema(NodeView);
  reads(app, deps);
  cordons(app, deps);
  trust(app, deps);
  proofs(app, deps);
}

function reads(app: Api, { db, config }: FleetDeps): void {
  app.get('/v1/nodes', {
    schema: {
      operationId: 'listNodes', summary: 'List nodes by name', tags: ['nodes'],
      querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(NodeView)), next_page_token: nextPageToken }) },
    },
    config: { allow: 'nodes:read' },
  }, async ({ query }) => {
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const found = await listNodes(db, pageKey(query.page_token, 'nodes', anyName)?.[0], size + 1);
    return toPage(found, size, toNodeView, (last) => pageToken([last.node.id], 'nodes'));
  });

  app.get('/v1/nodes/:node', {
    schema: { operationId: 'getNode', summary: 'Show a node', tags: ['nodes'], params: NodeParams, response: { 200: refTo(NodeView), ...problems(404) } },
    config: { allow: 'nodes:read' },
  }, async ({ params }) => toNodeView(await getNode(db, params.node)));
}

function cordons(app: Api, { db, config }: FleetDeps): void {
  app.post('/v1/nodes/:node/cordon', {
    schema: {
      operationId: 'cordonNode', summary: 'Keep new work away from a node; what runs goes on', tags: ['nodes'],
      params: NodeParams, headers: IdempotencyHeaders, body: ReasonBody, response: { 200: refTo(NodeView), ...problems(404, 409, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    await cordonNode(tx, request.params.node, request.body.reason);
    return toNodeView(await getNode(tx, request.params.node));
  }));

  app.post('/v1/nodes/:node/uncordon', {
    schema: {
      operationId: 'uncordonNode', summary: 'Lift an operator\'s cordon', tags: ['nodes'],
      description: 'A cordon that a fence set stays until the processes are proven gone.',
      params: NodeParams, headers: IdempotencyHeaders, body: NoBody, response: { 200: refTo(NodeView), ...problems(404, 409, 422) },
    },
    preValidation: bodyOrNone,
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    await uncordonNode(tx, request.params.node);
    return toNodeView(await getNode(tx, request.params.node));
  }));
}

const TokenBody = Type.Object({ node: Type.Optional(Type.String({ pattern: nodeNamePattern })) }, closed);
const TokenView = Type.Object({
  id: Type.String(), token: Type.String({ description: 'Shown once; only its hash is stored' }),
  node: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'The only node that may use it; null: any name that was never enrolled' }),
  expiresAt: Type.String({ format: 'date-time' }),
}, { $id: 'EnrolmentToken' });

function trust(app: Api, { db, config }: FleetDeps): void {
  app.addSchema(TokenView);

  // No Idempotency-Key: a stored answer would keep the token in clear.
  app.post('/v1/enrolment-tokens', {
    schema: {
      operationId: 'createEnrolmentToken', summary: 'Make a token that lets one node in, once', tags: ['nodes'],
      body: Type.Object({ ...TokenBody.properties, ttlSeconds: Type.Integer({ minimum: 1, maximum: config.enrolmentTokenSecondsMax }) }, closed),
      response: { 201: refTo(TokenView) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => {
    const { node, ttlSeconds } = request.body;
    const made = await createEnrolmentToken(db, { ttlSeconds, ...(node === undefined ? {} : { node }) });
    reply.code(201);
    return { ...made, expiresAt: made.expiresAt.toISOString() };
  });

  app.post('/v1/nodes/:node/revoke', {
    schema: {
      operationId: 'revokeNode', summary: 'End a node\'s credential', tags: ['nodes'],
      description: 'Its beats and calls are refused from now on; what runs goes on until its jobs are fenced. A new token that names the node lets it in again.',
      params: NodeParams, headers: IdempotencyHeaders, body: ReasonBody, response: { 200: refTo(NodeView), ...problems(404, 409, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const found = await getNode(tx, request.params.node);
    await revokeCredential(tx, request.params.node);
    request.log.warn({ node: request.params.node, actor: request.actor.id, reason: request.body.reason }, 'credential revoked');
    return toNodeView(found);
  }));
}

const ProofBody = Type.Object({
  bootId: Type.String({ minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$', description: 'The boot that is over, as GET /v1/nodes/{node} shows it' }),
  reason,
  dryRun: Type.Optional(Type.Boolean({ description: 'Only say which members would count as gone' })),
}, closed);
const ProofView = Type.Object({
  node: Type.String(), bootId: Type.String(), dryRun: Type.Boolean(),
  membersGone: Type.Array(Type.Object({ job: Type.String(), epoch: Type.String(), rank: Type.Integer() })),
}, { $id: 'Termination' });

function proofs(app: Api, { db, config }: FleetDeps): void {
  app.addSchema(ProofView);

  app.post('/v1/nodes/:node/confirm-terminated', {
    schema: {
      operationId: 'confirmNodeTerminated', summary: 'Confirm that a boot of a node is over', tags: ['nodes'],
      description: 'Frees what its members hold and fences their epochs. Say so only of a machine that is surely off: its devices are given to others, and the boot never takes work again.',
      params: NodeParams, headers: IdempotencyHeaders, body: ProofBody, response: { 200: refTo(ProofView), ...problems(404, 409, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => {
    const { node } = request.params;
    const { bootId, reason: why, dryRun = false } = request.body;
    const shape = (members: readonly BootMember[]) => ({ node, bootId, dryRun, membersGone: members.map((member) => ({ ...member, epoch: member.epoch.toString() })) });
    if (dryRun) return inTransaction(db, async (tx) => shape(await membersToSettle(tx, node, bootId)));
    return answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) =>
      shape(await confirmTerminated(tx, { node, bootId, proof: `confirmed by ${request.actor.name} (${request.actor.id}): ${why}` }, config)));
  });
}
