/**
 * Every route, asked by every kind of caller, against docs/access.md. `MUSTER_WRITE_ACCESS=1` writes the page instead of
 * comparing: read the difference, it is who gets in.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { roles } from '#services/platform/authz-roles.ts';
import { inTransaction } from '#services/platform/db.ts';
import { newId } from '#services/platform/ids.ts';
import { repositoryRoot } from '#services/platform/config.ts';
import { issueKey } from '#services/teams/api-keys.ts';
import { onCluster, onOrg, onTeam, openTenants, type Tenants } from './tenants.ts';

const page = path.join(repositoryRoot, 'docs/access.md');
let world: Tenants;
let url: string;
let callers: ReadonlyMap<string, string>;

beforeAll(async () => {
  world = await openTenants();
  url = await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { a1, b1 } = world.teams;
  callers = new Map([
    ['no key', ''],
    ['expired key', await world.keyOf('admin', onCluster, { expiresAt: new Date(Date.now() - 1_000) })],
    ['admin of another org', await world.keyOf('admin', onOrg(b1))],
    ...await Promise.all(roles.map(async (role) => [`${role} of the team`, await world.keyOf(role, onTeam(a1))] as const)),
    ['admin of the org', await world.keyOf('admin', onOrg(a1))],
    ...await Promise.all(roles.map(async (role) => [`${role} of the cluster`, await world.keyOf(role, onCluster)] as const)),
  ]);
  await world.db.insertInto('node').values({ id: 'node-1', boot_id: 'boot-1' }).execute();
}, 120_000);
afterAll(() => world.close());

interface Asked { readonly url: string; readonly body?: unknown; readonly headers?: Record<string, string> }

/** A good request to each route, about objects of team a1 that exist, made anew where asking changes them. */
const requests: Readonly<Record<string, () => Promise<Asked>>> = {
  'GET /v1/jobs': async () => ({ url: '/v1/jobs' }),
  'POST /v1/jobs': async () => ({ url: '/v1/jobs', body: { name: 'x', argv: ['true'], team: 'a1' } }),
  'POST /v1/jobs:batch': async () => ({ url: '/v1/jobs:batch', body: { jobs: [{ name: 'x', argv: ['true'], team: 'a1' }] } }),
  'GET /v1/jobs/:job': async () => ({ url: `/v1/jobs/${await job()}` }),
  'GET /v1/jobs/:job/attempts': async () => ({ url: `/v1/jobs/${await job()}/attempts` }),
  'GET /v1/jobs/:job/events': async () => ({ url: `/v1/jobs/${await job()}/events` }),
  'GET /v1/jobs/:job/logs': async () => ({ url: `/v1/jobs/${await job()}/logs` }),
  'GET /v1/jobs/:job/checkpoints': async () => ({ url: `/v1/jobs/${await job()}/checkpoints` }),
  'GET /v1/jobs/:job/checkpoints/:checkpoint': async () => checkpoint(),
  'PATCH /v1/jobs/:job': async () => ({ url: `/v1/jobs/${await job()}`, body: { labels: { a: 'b' } }, headers: { 'if-match': '*' } }),
  'POST /v1/jobs/:job/cancel': async () => ({ url: `/v1/jobs/${await job()}/cancel`, body: {} }),
  'POST /v1/jobs/:job/retry': async () => ({ url: `/v1/jobs/${await endedJob()}/retry`, body: {} }),
  'GET /v1/events': async () => ({ url: '/v1/events?team=a1' }),
  'GET /v1/teams': async () => ({ url: '/v1/teams' }),
  'POST /v1/teams': async () => ({ url: '/v1/teams', body: { name: fresh(), org: 'a' } }),
  'GET /v1/orgs': async () => ({ url: '/v1/orgs' }),
  'POST /v1/orgs': async () => ({ url: '/v1/orgs', body: { name: fresh() } }),
  'GET /v1/keys': async () => ({ url: '/v1/keys' }),
  'POST /v1/keys': async () => ({ url: '/v1/keys', body: { name: 'x', role: 'viewer', team: 'a1' } }),
  'GET /v1/keys/:key': async () => ({ url: `/v1/keys/${await key()}` }),
  'POST /v1/keys/:key/rotate': async () => ({ url: `/v1/keys/${await key()}/rotate`, body: { overlapSeconds: 0 } }),
  'POST /v1/keys/:key/revoke': async () => ({ url: `/v1/keys/${await key()}/revoke`, body: {} }),
  'GET /v1/bindings': async () => ({ url: '/v1/bindings' }),
  'POST /v1/bindings': async () => ({ url: '/v1/bindings', body: { principal: { kind: 'key', id: await key() }, role: 'viewer', team: 'a1' } }),
  'DELETE /v1/bindings/:binding': async () => ({ url: `/v1/bindings/${await binding()}` }),
  'GET /v1/teams/:team/secrets': async () => ({ url: '/v1/teams/a1/secrets' }),
  'PUT /v1/teams/:team/secrets/:secret': async () => ({ url: `/v1/teams/a1/secrets/${fresh()}`, body: { value: 'x' } }),
  'DELETE /v1/teams/:team/secrets/:secret': async () => ({ url: `/v1/teams/a1/secrets/${await secret()}` }),
  'GET /v1/nodes': async () => ({ url: '/v1/nodes' }),
  'GET /v1/nodes/:node': async () => ({ url: '/v1/nodes/node-1' }),
  'POST /v1/nodes/:node/cordon': async () => ({ url: '/v1/nodes/node-1/cordon', body: { reason: 'x' } }),
  'POST /v1/nodes/:node/uncordon': async () => ({ url: '/v1/nodes/node-1/uncordon', body: {} }),
  'POST /v1/nodes/:node/drain': async () => ({ url: '/v1/nodes/node-1/drain', body: { reason: 'x' } }),
  'POST /v1/nodes/:node/revoke': async () => ({ url: '/v1/nodes/node-1/revoke', body: { reason: 'x' } }),
  'POST /v1/nodes/:node/rotate-credential': async () => ({ url: '/v1/nodes/node-1/rotate-credential', body: { reason: 'x' } }),
  'POST /v1/nodes/:node/confirm-terminated': async () => ({ url: '/v1/nodes/node-1/confirm-terminated', body: { bootId: 'boot-1', reason: 'x', dryRun: true } }),
  'POST /v1/enrolment-tokens': async () => ({ url: '/v1/enrolment-tokens', body: { ttlSeconds: 60 } }),
  'GET /v1/dead-letters': async () => ({ url: '/v1/dead-letters' }),
  'POST /v1/dead-letters/:id/redrive': async () => ({ url: `/v1/dead-letters/${await deadLetter()}/redrive` }),
  'GET /v1/overview': async () => ({ url: '/v1/overview' }),
  'GET /v1/audit': async () => ({ url: '/v1/audit' }),
  'GET /v1/operations': async () => ({ url: '/v1/operations' }),
  'GET /v1/operations/:operation': async () => ({ url: `/v1/operations/${await operation()}` }),
};

it('who gets in where is what docs/access.md says', async () => {
  const routes = world.app.routeInfos().filter((route) => route.allow !== 'public' && route.url.startsWith('/v1/')).sort((a, b) => a.url.localeCompare(b.url) || a.method.localeCompare(b.method));
  const named = routes.map((route) => `${route.method} ${route.url}`);
  expect(named.filter((name) => !requests[name]), 'routes that this test has no good request for').toEqual([]);
  const rows: string[] = [];
  for (const name of named) {
    const answers: string[] = [];
    for (const caller of callers.keys()) answers.push(await outcome(name, caller));
    rows.push(`| \`${name}\` | ${answers.join(' | ')} |`);
  }
  const text = pageOf([...callers.keys()], rows);
  if (process.env['MUSTER_WRITE_ACCESS']) await writeFile(page, text);
  else expect(text).toBe(await readFile(page, 'utf8'));
}, 300_000);

/** `yes`: whatever it says, it is no refusal of the caller. Streams are left once they have begun. */
async function outcome(name: string, caller: string): Promise<string> {
  const { url: target, body, headers } = await (requests[name] as () => Promise<Asked>)();
  const given = callers.get(caller) ?? '';
  const leave = new AbortController();
  const answer = await fetch(new URL(target, url), {
    method: name.slice(0, name.indexOf(' ')), signal: leave.signal,
    headers: { ...(given ? { authorization: `Bearer ${given}` } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const told = answer.headers.get('content-type')?.includes('json') ? await answer.json() as { code?: string; items?: { status?: number }[] } : undefined;
  leave.abort();
  if ([401, 403, 404].includes(answer.status)) return String(answer.status);
  const isAbsent = answer.status === 400 && told?.code === 'invalid_request' && name.startsWith('POST /v1/jobs');
  if (isAbsent) return '400';
  const ofJob = name === 'POST /v1/jobs:batch' ? told?.items?.[0]?.status : undefined;
  if (ofJob !== undefined && ofJob !== 201) return String(ofJob);
  expect([name, caller, answer.status < 500 || answer.status === 503, answer.status !== 400]).toEqual([name, caller, true, true]);
  return 'yes';
}

let names = 0;
const fresh = (): string => `fresh-${names++}`;
const job = (): Promise<string> => world.submit(world.teams.a1);
const key = (): Promise<string> => inTransaction(world.db, async (tx) => (await issueKey(tx, { name: 'x', role: 'viewer', scopes: ['*'], target: onTeam(world.teams.a1) })).id);

async function endedJob(): Promise<string> {
  const id = await job();
  await world.post(`/v1/jobs/${id}/cancel`, {});
  return id;
}

async function binding(): Promise<string> {
  const principal = await key();
  return (await world.db.selectFrom('role_binding').select('id').where('principal', '=', principal).executeTakeFirstOrThrow()).id;
}

async function secret(): Promise<string> {
  const name = fresh();
  await world.as(world.key, 'PUT', `/v1/teams/a1/secrets/${name}`, { value: 'x' });
  return name;
}

async function checkpoint(): Promise<Asked> {
  const [id, jobId] = [newId('ckpt'), await job()];
  await world.db.insertInto('checkpoint').values({ id, job_id: jobId, epoch: 1n, step: 1n, dir: 'x', reach: 'shared', nodes: [], layout: '{}', data_position: '{}', shards: 0, bytes: 0n }).execute();
  return { url: `/v1/jobs/${jobId}/checkpoints/${id}` };
}

async function deadLetter(): Promise<string> {
  const id = newId('dead');
  await world.db.insertInto('dead_letter').values({ id, consumer: 'x', pos: BigInt(1_000 + names++), key: 'x', kind: 'x', version: 1n, payload: '{}', error: 'x', deliveries: 1 }).execute();
  return id;
}

async function operation(): Promise<string> {
  const [id, { id: team }] = [newId('op'), world.teams.a1];
  await world.db.insertInto('operation').values({ id, kind: 'job.cancel', target: `job/${fresh()}`, team_id: team, actor_id: 'x', request_id: 'x', state: 'SUCCEEDED' }).execute();
  return id;
}

function pageOf(headings: readonly string[], rows: readonly string[]): string {
  return `# Who gets in

Asked about objects of one team, by callers with a role on that team, on its organisation, on another organisation, or on the cluster. Written and compared by \`test/integration/identity/access.test.ts\` (\`MUSTER_WRITE_ACCESS=1\` writes it); [security.md](security.md) says what the roles mean.

\`yes\` let in · \`401\` no valid key or token · \`403\` known, and not allowed · \`404\` as if it did not exist · \`400\` the team of a new job is as unknown as one that never was. A list shows what the caller may see, so it answers \`yes\` with fewer items.

| route | ${headings.join(' | ')} |
|---|${headings.map(() => '---').join('|')}|
${rows.join('\n')}
`;
}
