/** REST routes of a team's secrets. A value goes in and never comes out; no Idempotency-Key: putting is idempotent by itself. */
import Type, { type Static } from 'typebox';
import { audit } from '../audit/append.ts';
import { namePattern } from '../jobs/spec.ts';
import type { Access } from '../platform/authz-scope.ts';
import { inTransaction, type Db, type Tx } from '../platform/db.ts';
import { problem } from '../platform/errors.ts';
import { problems, refTo, type Api } from '../platform/http.ts';
import { defaultPageSize, nextPageToken, pageKey, pageQuery, pageToken, toPage } from '../platform/pages.ts';
import { findTeam } from './find.ts';
import { teamKey } from './model.ts';
import type { TeamDeps } from './routes.ts';
import { keyringOf } from './sealing.ts';
import type { SecretRow } from './secrets-store.ts';
import { deleteSecret, listSecrets, putSecret } from './secrets.ts';

const closed = { additionalProperties: false } as const;
const TeamParams = Type.Object({ team: Type.String({ description: 'Name of the team' }) });
const SecretParams = Type.Object({ ...TeamParams.properties, secret: Type.String({ pattern: namePattern, description: 'Name of the secret' }) });
const time = Type.String({ format: 'date-time' });
const SecretView = Type.Object({
  name: Type.String(), version: Type.Integer({ description: '+1 with each value' }), createdAt: time, changedAt: time,
  changedBy: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
}, { $id: 'Secret' });

const toView = (row: SecretRow): Static<typeof SecretView> =>
  ({ name: row.name, version: row.version, createdAt: row.created_at.toISOString(), changedAt: row.changed_at.toISOString(), changedBy: row.changed_by });

/** A key file or a certificate chain fits; sixteen of them, escaped as JSON, still leave room for the launch in one message of NATS. */
const valueCharsMax = 8_192;
const PutBody = Type.Object({
  value: Type.String({ minLength: 1, maxLength: valueCharsMax, pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$', writeOnly: true, description: 'Text; never shown again' }),
}, { ...closed, writeOnly: true });

export function secretRoutes(app: Api, { db, config }: TeamDeps): void {
  app.addSchema(SecretView);
  const keyring = keyringOf(config.secretKeys);

  app.get('/v1/teams/:team/secrets', {
    schema: {
      operationId: 'listSecrets', summary: 'List the names of a team\'s secrets', tags: ['secrets'], params: TeamParams, querystring: Type.Object(pageQuery(config.pageSizeMax), closed),
      response: { 200: Type.Object({ items: Type.Array(refTo(SecretView)), next_page_token: nextPageToken }), ...problems(404) },
    },
    config: { allow: 'secrets:read' },
  }, async ({ params, query, access }) => {
    const teamId = await requireTeam(db, access, params.team);
    const size = query.page_size ?? Math.min(defaultPageSize, config.pageSizeMax);
    const filters = ['secrets', teamId];
    const rows = await listSecrets(db, teamId, pageKey(query.page_token, filters, [new RegExp(namePattern)])?.[0], size + 1);
    return toPage(rows, size, toView, (last) => pageToken([last.name], filters));
  });

  app.put('/v1/teams/:team/secrets/:secret', {
    schema: {
      operationId: 'putSecret', summary: 'Put a secret for the jobs of a team', tags: ['secrets'], params: SecretParams, body: PutBody,
      description: 'Jobs name it in `secrets`; only the agent that starts a member gets the value, into the member\'s environment.',
      response: { 200: refTo(SecretView), ...problems(404, 409) },
    },
    config: { allow: 'secrets:write' },
  }, async (request) => inTransaction(db, async (tx) => {
    const { params, body, access, actor } = request;
    const teamId = await requireTeam(tx, access, params.team);
    const view = toView(await putSecret(tx, keyring, { teamId, name: params.secret, value: body.value, by: actor.id }, config.secretsMaxPerTeam));
    await audit(tx, request, { action: 'secret.put', target: `${teamKey(teamId)}/secrets/${view.name}`, after: view }); // never of the value: a short one could be guessed from its digest
    return view;
  }));

  app.delete('/v1/teams/:team/secrets/:secret', {
    schema: { operationId: 'deleteSecret', summary: 'Delete a secret', tags: ['secrets'], params: SecretParams, response: { 204: Type.Null(), ...problems(404, 409) } },
    config: { allow: 'secrets:write' },
  }, async (request, reply) => {
    const { params, access } = request;
    await inTransaction(db, async (tx) => {
      const teamId = await requireTeam(tx, access, params.team);
      await deleteSecret(tx, teamId, params.secret);
      await audit(tx, request, { action: 'secret.delete', target: `${teamKey(teamId)}/secrets/${params.secret}` });
    });
    return reply.code(204).send(null);
  });
}

/** @throws `team_not_found` 404, for a foreign one too · `forbidden` 403 */
async function requireTeam(db: Db | Tx, access: Access, name: string): Promise<string> {
  const team = await findTeam(db, access.see, name);
  if (!team) throw problem('team_not_found', { team: JSON.stringify(name.slice(0, 64)).slice(1, -1) });
  if (!access.act.includes(team.id)) throw problem('forbidden', { team: team.name });
  return team.id;
}
