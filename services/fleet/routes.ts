/** REST routes of nodes and enrolment. */
import Type from 'typebox';
import { inTransaction, type Db } from '../platform/db.ts';
import type { Config } from '../platform/config.ts';
import type { VacateConfig } from '../jobs/vacate.ts';
import { ConditionalHeaders, expectedVersion, isUnchanged, notModified, ReadHeaders, unchanged } from '../platform/etag.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { answerOnce, IdempotencyHeaders } from '../platform/idempotency.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { audit } from '../audit/append.ts';
import { OperationView, toOperationView } from '../operations/view.ts';
import { PreferHeaders, type Waiters } from '../operations/wait.ts';
import { changeNode } from './audit-node.ts';
import { confirmTerminated, membersToSettle } from './confirm-terminated.ts';
import { cordonNode, uncordonNode } from './cordon.ts';
import { revokeCredential } from './credentials.ts';
import { orderRotation } from './rotation.ts';
import { drainNode, driveDrain } from './drain.ts';
import { createEnrolmentToken } from './enrolment.ts';
import { nodeNamePattern } from './model.ts';
import { drainableJobs, type BootMember } from './node-store.ts';
import { NodeView, toNodeView } from './node-view.ts';
import { getNode, listNodes } from './nodes.ts';

export interface FleetDeps {
  readonly db: Db;
  readonly waiters: Waiters;
  readonly config: Pick<Config, 'pageSizeMax' | 'idempotencyHours' | 'enrolmentTokenSecondsMax'> & VacateConfig;
}

const closed = { additionalProperties: false } as const;
const ChangeHeaders = Type.Object({ ...IdempotencyHeaders.properties, ...ConditionalHeaders.properties });
const DrainHeaders = Type.Object({ ...ChangeHeaders.properties, ...PreferHeaders.properties });
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
  drains(app, deps);
  trust(app, deps);
  rotations(app, deps);
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
    schema: { operationId: 'getNode', summary: 'Show a node', tags: ['nodes'], params: NodeParams, headers: ReadHeaders, response: { 200: refTo(NodeView), ...notModified, ...problems(404) } },
    config: { allow: 'nodes:read' },
  }, async (request, reply) => {
    const found = await getNode(db, request.params.node);
    return isUnchanged(request, reply, found.node.version) ? unchanged(reply as never) as never : toNodeView(found);
  });
}

function cordons(app: Api, { db, config }: FleetDeps): void {
  app.post('/v1/nodes/:node/cordon', {
    schema: {
      operationId: 'cordonNode', summary: 'Keep new work away from a node; what runs goes on', tags: ['nodes'],
      params: NodeParams, headers: ChangeHeaders, body: ReasonBody, response: { 200: refTo(NodeView), ...problems(404, 409, 412, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const { params: { node }, body: { reason } } = request;
    await changeNode(tx, request, { action: 'node.cordon', node, reason, ifVersion: expectedVersion(request) }, () => cordonNode(tx, node, reason));
    return toNodeView(await getNode(tx, request.params.node));
  }));

  app.post('/v1/nodes/:node/uncordon', {
    schema: {
      operationId: 'uncordonNode', summary: 'Lift an operator\'s cordon', tags: ['nodes'],
      description: 'A cordon that a fence set stays until the processes are proven gone.',
      params: NodeParams, headers: ChangeHeaders, body: NoBody, response: { 200: refTo(NodeView), ...problems(404, 409, 412, 422) },
    },
    preValidation: bodyOrNone,
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const { node } = request.params;
    await changeNode(tx, request, { action: 'node.uncordon', node, ifVersion: expectedVersion(request) }, () => uncordonNode(tx, node));
    return toNodeView(await getNode(tx, request.params.node));
  }));
}

const DrainBody = Type.Object({ reason, dryRun: Type.Optional(Type.Boolean({ description: 'Only say which jobs would go' })) }, closed);
const DrainView = Type.Object({
  dryRun: Type.Boolean(),
  jobs: Type.Array(Type.String(), { description: 'That were on the node' }),
  operation: Type.Union([refTo(OperationView), Type.Null()], { description: 'Over when no member is left; null for a dry run' }),
}, { $id: 'Drain' });

function drains(app: Api, { db, config, waiters }: FleetDeps): void {
  app.addSchema(DrainView);

  app.post('/v1/nodes/:node/drain', {
    schema: {
      operationId: 'drainNode', summary: 'Empty a node', tags: ['nodes'],
      description: 'Cordons it and has its jobs stop after a last save; they wait for another place and keep their turn. It stays cordoned.',
      params: NodeParams, headers: DrainHeaders, body: DrainBody, response: { 200: refTo(DrainView), 202: refTo(DrainView), ...problems(404, 409, 412, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => {
    const { params: { node }, body: { reason: why, dryRun = false } } = request;
    if (dryRun) {
      await getNode(db, node);
      return { dryRun, jobs: (await drainableJobs(db, node)).map(({ jobId }) => jobId), operation: null };
    }
    const answer = await answerOnce(db, request, reply, 202, config.idempotencyHours, async (tx) => {
      const jobs = (await drainableJobs(tx, node)).map(({ jobId }) => jobId);
      const operation = await changeNode(tx, request, { action: 'node.drain', node, reason: why, ifVersion: expectedVersion(request) }, () => drainNode(tx, node, why, request));
      return { dryRun, jobs, operation: toOperationView(operation) };
    });
    await driveDrain(db, node, config);
    reply.header('location', answer.operation.links.self);
    const found = await waiters.untilOver(request, reply, 'node.drain', answer.operation.target);
    if (found && found.state !== 'RUNNING') reply.code(200);
    return found ? { ...answer, operation: toOperationView(found) } : answer;
  });
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
    const made = await inTransaction(db, async (tx) => {
      const token = await createEnrolmentToken(tx, { ttlSeconds, ...(node === undefined ? {} : { node }) });
      await audit(tx, request, { action: 'enrolment-token.create', target: `enrolment-token/${token.id}`, after: { id: token.id, node: token.node, expiresAt: token.expiresAt } });
      return token;
    });
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
    const { params: { node }, body: { reason } } = request;
    await changeNode(tx, request, { action: 'node.revoke', node, reason }, () => revokeCredential(tx, node));
    request.log.warn({ node: request.params.node, actor: request.actor.id, reason: request.body.reason }, 'credential revoked');
    return toNodeView(found);
  }));
}

function rotations(app: Api, { db, config }: FleetDeps): void {
  app.post('/v1/nodes/:node/rotate-credential', {
    schema: {
      operationId: 'rotateNodeCredential', summary: 'Have a node replace its credential', tags: ['nodes'],
      description: 'Its agent makes a new secret, stores it, and takes it into use over the connection that it has; the old one ends with the first beat of the new one. Members run on. For a credential that may be in wrong hands revoke it and enrol the node again.',
      params: NodeParams, headers: IdempotencyHeaders, body: ReasonBody, response: { 200: refTo(NodeView), ...problems(404, 409, 422) },
    },
    config: { allow: 'nodes:write' },
  }, async (request, reply) => answerOnce(db, request, reply, 200, config.idempotencyHours, async (tx) => {
    const found = await getNode(tx, request.params.node);
    const { params: { node }, body: { reason } } = request;
    await changeNode(tx, request, { action: 'node.rotate-credential', node, reason }, () => orderRotation(tx, node));
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
      shape(await changeNode(tx, request, { action: 'node.confirm-terminated', node, reason: why }, () => confirmTerminated(tx, { node, bootId, proof: `confirmed by ${request.actor.name} (${request.actor.id}): ${why}` }, config))));
  });
}
