import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onCluster, onOrg, onTeam, openTenants, type Tenants } from './tenants.ts';

let world: Tenants;
let jobs: Record<'a1' | 'a2' | 'b1', string>;
beforeAll(async () => {
  world = await openTenants();
  jobs = { a1: await world.submit(world.teams.a1), a2: await world.submit(world.teams.a2), b1: await world.submit(world.teams.b1) };
});
afterAll(() => world.close());

const listed = async (key: string, query = ''): Promise<string[]> =>
  ((await world.as(key, 'GET', `/v1/jobs?page_size=200${query}`)).body.items as { id: string }[]).map((job) => job.id).sort();

describe('what a caller sees', () => {
  it('a role on a team shows its jobs and no others', async () => {
    expect(await listed(await world.keyOf('viewer', onTeam(world.teams.a1)))).toEqual([jobs.a1]);
  });

  it('a role on an organisation shows the jobs of its teams, of one that came later too', async () => {
    const key = await world.keyOf('viewer', onOrg(world.teams.b1));
    expect(await listed(key)).toEqual([jobs.b1]);
    const later = (await world.post('/v1/teams', { name: 'b2', org: 'b' })).body.id as string;
    const job = await world.submit({ id: later, name: 'b2', org: world.teams.b1.org, orgName: 'b' });
    expect(await listed(key)).toEqual([jobs.b1, job].sort());
  });

  it('a role on the cluster shows all', async () => {
    expect(await listed(await world.keyOf('viewer', onCluster))).toEqual(expect.arrayContaining(Object.values(jobs)));
  });

  it('no role shows nothing, and is told so', async () => {
    const key = await world.keyOf('viewer', onTeam(world.teams.a1));
    await world.db.deleteFrom('role_binding').where('principal', '=', key.slice(3, 33)).execute();
    expect((await world.as(key, 'GET', '/v1/jobs')).status).toBe(403);
  });

  it.each(['', '/attempts', '/events', '/logs', '/checkpoints', '/checkpoints/ckpt_01h455vb4pex5vsknk084sn02q'])(
    'a foreign job is as absent as one that never was: GET /v1/jobs/{job}%s', async (rest) => {
      const key = await world.keyOf('admin', onOrg(world.teams.a1));
      const foreign = await world.as(key, 'GET', `/v1/jobs/${jobs.b1}${rest}`);
      const absent = await world.as(key, 'GET', `/v1/jobs/job_01h455vb4pex5vsknk084sn02q${rest}`);
      expect([foreign.status, foreign.body.code]).toEqual([404, 'job_not_found']);
      expect(Object.keys(foreign.body)).toEqual(Object.keys(absent.body));
      expect(foreign.body.detail.replace(jobs.b1, 'X')).toBe(absent.body.detail.replace('job_01h455vb4pex5vsknk084sn02q', 'X'));
    });

  it('a foreign team is 404 as a filter of jobs and of events', async () => {
    const key = await world.keyOf('admin', onOrg(world.teams.a1));
    for (const url of ['/v1/jobs?team=b1', '/v1/events?team=b1', '/v1/teams/b1/secrets']) {
      const answer = await world.as(key, 'GET', url);
      expect([url, answer.status, answer.body.code]).toEqual([url, 404, 'team_not_found']);
    }
  });

  it('the page token of another caller opens nothing more', async () => {
    for (let n = 0; n < 3; n++) await world.submit(world.teams.b1);
    const token = (await world.get('/v1/jobs?page_size=1')).body.next_page_token as string;
    const page = await world.as(await world.keyOf('viewer', onTeam(world.teams.a1)), 'GET', `/v1/jobs?page_size=200&page_token=${encodeURIComponent(token)}`);
    expect((page.body.items as { team: string }[] | undefined ?? []).filter((job) => job.team !== 'a1')).toEqual([]);
  });

  it('teams, organisations, keys and bindings are those of the caller', async () => {
    const key = await world.keyOf('admin', onTeam(world.teams.a1));
    const names = async (url: string) => ((await world.as(key, 'GET', url)).body.items as Record<string, unknown>[]);
    expect((await names('/v1/teams')).map((team) => team['name'])).toEqual(['a1']);
    expect((await names('/v1/orgs')).map((org) => org['name'])).toEqual(['a']);
    expect(new Set((await names('/v1/keys')).map((each) => each['team']))).toEqual(new Set(['a1']));
    expect(new Set((await names('/v1/bindings')).map((each) => each['team']))).toEqual(new Set(['a1']));
  });
});

describe('what a caller does', () => {
  it('a foreign job can be neither cancelled nor retried: 404', async () => {
    const key = await world.keyOf('admin', onOrg(world.teams.a1));
    expect((await world.as(key, 'POST', `/v1/jobs/${jobs.b1}/cancel`, {})).status).toBe(404);
    expect((await world.as(key, 'POST', `/v1/jobs/${jobs.b1}/retry`, {})).status).toBe(404);
    expect((await world.get(`/v1/jobs/${jobs.b1}`)).body.state).toBe('QUEUED');
  });

  it('a job that he may only see is 403', async () => {
    const key = await world.keyOf('viewer', onTeam(world.teams.a1));
    const id = key.slice(3, 33);
    await world.post('/v1/bindings', { principal: { kind: 'key', id }, role: 'member', team: 'a2' });
    expect((await world.as(key, 'POST', `/v1/jobs/${jobs.a1}/cancel`, {})).status).toBe(403);
    expect((await world.as(key, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'a1' })).status).toBe(403);
    expect((await world.as(key, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'a2' })).status).toBe(201);
  });

  it('a submission to a foreign team reads as one to a team that is not there', async () => {
    const key = await world.keyOf('member', onTeam(world.teams.a1));
    const [foreign, absent] = await Promise.all(['b1', 'zz'].map((team) => world.as(key, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team })));
    expect([foreign?.status, foreign?.body.code, foreign?.body.detail.replace('b1', 'zz')]).toEqual([absent?.status, absent?.body.code, absent?.body.detail]);
  });

  it('scopes narrow a role and never widen it', async () => {
    const narrow = await world.keyOf('admin', onTeam(world.teams.a1), { scopes: ['jobs:read'] });
    expect((await world.as(narrow, 'GET', `/v1/jobs/${jobs.a1}`)).status).toBe(200);
    expect((await world.as(narrow, 'POST', `/v1/jobs/${jobs.a1}/cancel`, {})).status).toBe(403);
    expect((await world.as(narrow, 'GET', `/v1/jobs/${jobs.b1}`)).status).toBe(404);
    const wide = await world.keyOf('viewer', onTeam(world.teams.a1), { scopes: ['*'] });
    expect((await world.as(wide, 'POST', '/v1/jobs', { name: 'x', argv: ['true'], team: 'a1' })).status).toBe(403);
  });

  it('an operator of a team does not operate the fleet, which all tenants share', async () => {
    expect((await world.as(await world.keyOf('admin', onOrg(world.teams.a1)), 'POST', '/v1/enrolment-tokens', { ttlSeconds: 60 })).status).toBe(403);
    expect((await world.as(await world.keyOf('operator', onCluster), 'POST', '/v1/enrolment-tokens', { ttlSeconds: 60 })).status).toBe(201);
  });
});
